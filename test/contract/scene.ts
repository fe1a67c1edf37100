/** The context of a case: a client, unique names, and clean-up. */
import { type Answer, type AskOptions, connect, type HttpClient } from './http-client.ts';
import type { Loose } from './loose.ts';
import { scratch } from './scratch.ts';
import type { Target } from './target.ts';
import type { Watch } from './watch.ts';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export type Scene = {
  readonly target: Target;
  readonly request: HttpClient['request'];
  readonly get: (path: string, options?: AskOptions) => Promise<Answer>;
  readonly post: (path: string, body: unknown, options?: AskOptions) => Promise<Answer>;
  readonly put: (path: string, body: unknown, options?: AskOptions) => Promise<Answer>;
  readonly patch: (path: string, type: PatchType, body: unknown, options?: AskOptions) => Promise<Answer>;
  readonly delete: (path: string, body?: unknown, options?: AskOptions) => Promise<Answer>;
  /** A watch that ends with the case. */
  readonly watch: (path: string, options?: AskOptions) => Promise<Watch>;
  /** Creates an object for the set-up of a case; rejects on failure. */
  readonly make: (collection: string, object: Loose | object) => Promise<Loose>;
  /** A unique name. */
  readonly name: (prefix?: string) => string;
  /** A namespace for this case only, in which pods can be created. */
  readonly namespace: () => Promise<string>;
  /** Deletes an object at the end, if it exists. */
  readonly tidy: (path: string) => void;
};

export async function withScene(target: Target, run: (scene: Scene) => Promise<void>): Promise<void> {
  const client = connect(target);
  const watches: Watch[] = [];
  const { request } = client;
  const space = scratch(request);
  try {
    await run({
      target,
      request,
      get: (path, options) => request('GET', path, options),
      post: (path, body, options) => request('POST', path, { ...options, body }),
      put: (path, body, options) => request('PUT', path, { ...options, body }),
      patch: (path, type, body, options) =>
        request('PATCH', path, { contentType: patchTypes[type], ...options, body }),
      delete: (path, body, options) =>
        request('DELETE', path, { ...options, ...(body === undefined ? {} : { body }) }),
      async watch(path, options) {
        const watch = await client.watch(path, options);
        watches.push(watch);
        return watch;
      },
      ...space,
    });
  } finally {
    for (const watch of watches) watch.close();
    await space.tidyUp();
    client.close();
  }
}

const patchTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};
