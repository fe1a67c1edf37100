/** Names and objects that belong to one case. */
import { randomBytes } from 'node:crypto';
import type { HttpClient } from './http-client.ts';
import { type Loose, textOf } from './loose.ts';

export type Scratch = {
  readonly name: (prefix?: string) => string;
  readonly namespace: () => Promise<string>;
  readonly make: (collection: string, object: Loose | object) => Promise<Loose>;
  readonly tidy: (path: string) => void;
  readonly tidyUp: () => Promise<void>;
};

/** A server may be used by several runs at once, and may be one that outlives them. */
const run = randomBytes(3).toString('hex');
let names = 0;

export function scratch(request: HttpClient['request']): Scratch {
  const paths: string[] = [];
  const name = (prefix = 'case'): string => `${prefix}-${run}-${names++}`;
  const tidy = (path: string): void => {
    paths.push(path);
  };
  const make = async (collection: string, object: Loose | object): Promise<Loose> => {
    const answer = await request('POST', collection, { body: object });
    if (answer.status !== 201) throw new Error(`making an object in ${collection}: ${answer.body}`);
    const path = `${collection}/${textOf(answer.json.metadata?.name)}`;
    // What is in a namespace goes with it.
    if (!collection.includes('/namespaces/')) tidy(path);
    return answer.json;
  };
  return {
    name,
    tidy,
    make,
    async namespace() {
      const space = name('space');
      await make('/api/v1/namespaces', { metadata: { name: space } });
      await makeAccount(request, space);
      return space;
    },
    async tidyUp() {
      for (const path of paths.reverse()) await request('DELETE', path);
    },
  };
}

/** A server refuses pods until the account exists. Where controllers run they may make it first. */
async function makeAccount(request: HttpClient['request'], space: string): Promise<void> {
  const body = { metadata: { name: 'default' } };
  const { status, body: text } = await request('POST', `/api/v1/namespaces/${space}/serviceaccounts`, {
    body,
  });
  if (status !== 201 && status !== 409) throw new Error(`making the account of ${space}: ${text}`);
}
