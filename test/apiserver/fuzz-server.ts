/** A server with confidential objects, users with different rights, and invariants of all responses. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { type Answer, type SocketServer, startSocketServer } from './socket-server.ts';

/** More of everything: `MILLWRIGHT_FUZZ_RUNS=20` runs twenty times as many. */
const FACTOR = Math.max(1, Number(process.env.MILLWRIGHT_FUZZ_RUNS ?? 1) || 1);
/** Another seed finds other things; a failure names its own. */
const SEED = Number(process.env.MILLWRIGHT_FUZZ_SEED ?? 20_260_101);

export function runs(numRuns: number) {
  return { numRuns: numRuns * FACTOR, seed: SEED, endOnFailure: FACTOR > 1 };
}

/** One is long enough for a server that is busy with other tests, and short enough to call it a hang. */
export const TIMEOUT_MS = 120_000 * FACTOR;

/** May do anything in namespace `play`, and nothing elsewhere. */
export const TENANT = 'tenant';
/** May do nothing. */
export const STRANGER = 'stranger';
/** `undefined` is the administrator. */
export const USERS = [undefined, TENANT, STRANGER] as const;

/** Visible to administrators only, with any request. */
const HIDDEN = 'the-hidden-value-of-the-vault';
const HIDDEN_FORMS = [HIDDEN, btoa(HIDDEN), btoa(HIDDEN).slice(4, -4), btoa(` ${HIDDEN}`).slice(4, -4)];

export interface FuzzWorld extends SocketServer {
  /** Throws if this user may not get the response. */
  examine(answer: Answer, user: string | undefined, asked: string): void;
  /** Throws if the server no longer handles ordinary requests. */
  expectWell(): Promise<void>;
}

export async function startFuzzWorld(
  limits: Parameters<typeof startSocketServer>[0] = {},
): Promise<FuzzWorld> {
  const socket = await startSocketServer({ users: [TENANT, STRANGER], ...limits });
  const make = async (path: string, body: object) => {
    const { status, text } = await socket.ask('POST', path, { body });
    expect(`${status} ${status === 201 ? '' : text}`).toBe('201 ');
  };
  for (const name of ['vault', 'play']) await make('/api/v1/namespaces', { metadata: { name } });
  await make('/api/v1/namespaces/vault/secrets', {
    metadata: { name: 'hidden' },
    stringData: { key: HIDDEN },
  });
  await make('/api/v1/namespaces/vault/configmaps', { metadata: { name: 'hidden' }, data: { key: HIDDEN } });
  await make('/api/v1/namespaces/play/configmaps', { metadata: { name: 'seen' }, data: { key: 'seen' } });
  await make('/apis/rbac.authorization.k8s.io/v1/namespaces/play/rolebindings', {
    metadata: { name: 'tenant' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: TENANT }],
    roleRef: { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name: 'cluster-admin' },
  });
  return {
    ...socket,
    examine: (answer, user, asked) => examine(answer, { user, asked, mistakes: socket.mistakes }),
    expectWell: () => expectWell(socket),
  };
}

type Asking = {
  readonly user: string | undefined;
  readonly asked: string;
  readonly mistakes: string[];
};

function examine({ status, headers, text }: Answer, { user, asked, mistakes }: Asking): void {
  const context = `${asked} → ${status} ${text.slice(0, 500)}`;
  expect(mistakes.splice(0), context).toEqual([]);
  if (user !== undefined) {
    for (const form of HIDDEN_FORMS)
      expect(text.includes(form), `hidden from ${user}: ${context}`).toBe(false);
  }
  expect(text, context).not.toMatch(/\bbug:|\n\s+at .+:\d+:\d+|did not foresee|log of the server/);
  expect(status, context).toBeLessThan(504);
  const hasNoBody = / HEAD /.test(asked);
  if (status < 400 || hasNoBody) return;
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/json')) {
    const problem = JSON.parse(text);
    expect(problem, context).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: status,
    });
    expect(typeof problem.message, context).toBe('string');
  } else {
    expect(text, context).toMatch(PLAIN);
  }
}

/** Responses that are plain text in kube-apiserver too. */
const PLAIN =
  /^(404 page not found|Too many requests|\d{3} [A-Z]|\[\+\]|$)|^Internal Server Error: .*impersonat/s;

let count = 0;

async function expectWell({ ask, open, mistakes }: SocketServer): Promise<void> {
  const name = `well-${count++}`;
  const collection = '/api/v1/namespaces/default/configmaps';
  const watch = await open('GET', `${collection}?watch=1&fieldSelector=metadata.name%3D${name}`);
  const firstEvent = (async () => {
    for await (const chunk of watch) return String(chunk);
    return '';
  })();
  expect((await ask('POST', collection, { body: { metadata: { name } } })).status).toBe(201);
  expect((await ask('GET', `${collection}/${name}`)).status).toBe(200);
  expect(await firstEvent).toContain('"type":"ADDED"');
  watch.destroy();
  expect((await ask('DELETE', `${collection}/${name}`)).status).toBe(200);
  expect(mistakes.splice(0)).toEqual([]);
}

/** The used heap after garbage collection. */
export async function heapBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  for (let round = 0; round < 3; round++) {
    // Lets closed sockets and other pending cleanup finish.
    await new Promise((resolve) => setTimeout(resolve, 50));
    gc();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
