/** Whether an embedded cluster runs, by its kubeconfig. */
import { existsSync } from 'node:fs';
import { systemClock } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { withinLimit } from '../../base/waiting.ts';
import type { ServerAccess, Transport } from '../../kubernetes/client/index.ts';
import { readKubeconfig } from '../../kubernetes/client/kubeconfig-node.ts';
import { createNodeTransport } from '../../kubernetes/client/transport-node.ts';

type EmbeddedCluster =
  | { readonly kind: 'absent' }
  | { readonly kind: 'stopped'; readonly url: string }
  | { readonly kind: 'running'; readonly access: ServerAccess };

export async function embeddedCluster(path: string): Promise<EmbeddedCluster> {
  if (!existsSync(path)) return { kind: 'absent' };
  const access = await readKubeconfig(path);
  return (await isStopped(access)) ? { kind: 'stopped', url: access.url } : { kind: 'running', access };
}

/** A busy machine may take that long to answer. */
const ANSWER_LIMIT_MS = 2_000;

/**
 * Whether its server certainly does not run: nothing listens there, or something else that has not its certificate. One that is
 * slow counts as running: the command must not turn to another cluster because of that.
 */
async function isStopped(access: ServerAccess): Promise<boolean> {
  const transport = createNodeTransport({ access, clock: systemClock });
  try {
    await withinLimit(systemClock, { promise: answered(transport), limitMs: ANSWER_LIMIT_MS });
    return false;
  } catch (error) {
    if (error instanceof Failure && error.reason === 'Unreachable') return true;
    throw error;
  } finally {
    transport.close();
  }
}

/** Whatever the answer is. */
async function answered(transport: Transport): Promise<void> {
  const { body } = await transport.send({ method: 'GET', path: '/livez', query: '', headers: {} });
  for await (const _ of body) {
    // Read to the end.
  }
}
