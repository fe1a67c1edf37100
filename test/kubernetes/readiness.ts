/** Waiting until servers that were just started can be used. */
import { Agent, request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';
import type { ClientIdentity } from './kubeconfig.ts';

/** A server that has not become ready by then never will; on two busy cores it takes ten seconds. */
export const READY_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 100;
const REQUEST_TIMEOUT_MS = 10_000;

/** Ready means that the roles and namespaces a server makes for itself are there. */
export function waitUntilReady(access: ClientIdentity, children: readonly Child[]): Promise<void> {
  return waitFor(children, access, async (get) => {
    if ((await get('/readyz')) !== 200) return false;
    const made = await Promise.all(
      ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) =>
        get(`/api/v1/namespaces/${name}`),
      ),
    );
    return made.every((status) => status === 200);
  });
}

/** The account that every namespace gets is the first thing the controllers are seen to do. */
export function waitForControllers(access: ClientIdentity, children: readonly Child[]): Promise<void> {
  return waitFor(
    children,
    access,
    async (get) => (await get('/api/v1/namespaces/default/serviceaccounts/default')) === 200,
  );
}

type Get = (path: string) => Promise<number>;

async function waitFor(
  children: readonly Child[],
  access: ClientIdentity,
  isReady: (get: Get) => Promise<boolean>,
): Promise<void> {
  const agent = new Agent({ ca: access.caPem, cert: access.cert, key: access.key, keepAlive: false });
  const get: Get = (path) => statusOf(`${access.url}${path}`, agent);
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!(await isReady(get))) {
    const ended = children.find((child) => child.hasEnded());
    if (ended !== undefined) throw new Error(`${ended.name} ended\n${await tailsOf(children)}`);
    if (performance.now() > deadline) {
      throw new Error(`not ready after ${READY_TIMEOUT_MS} ms\n${await tailsOf(children)}`);
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

async function tailsOf(children: readonly Child[]): Promise<string> {
  const tails = await Promise.all(
    children.map(async ({ name, logTail }) => `--- ${name}\n${await logTail()}`),
  );
  return tails.join('\n');
}

/** The status of the response, or 0 without one. */
function statusOf(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const request = httpsRequest(url, { agent }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    request.setTimeout(REQUEST_TIMEOUT_MS, () => request.destroy());
    request.once('error', () => resolve(0));
    request.end();
  });
}
