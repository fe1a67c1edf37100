/** A client of an administrator, for tests in real time. */
import { type Env, silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { createKube, type Kube } from '../../src/kubernetes/client/index.ts';
import { readKubeconfig } from '../../src/kubernetes/client/kubeconfig-node.ts';
import { createNodeTransport, type NodeTransport } from '../../src/kubernetes/client/transport-node.ts';

export type Administrator = {
  readonly kube: Kube;
  /** To be closed. */
  readonly transport: NodeTransport;
};

export async function administrator(kubeconfigPath: string, fieldManager: string): Promise<Administrator> {
  const access = await readKubeconfig(kubeconfigPath);
  const transport = createNodeTransport({ access, clock: systemClock });
  return { transport, kube: createKube({ transport, env: ENV, fieldManager }) };
}

const ENV: Env = {
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  signal: new AbortController().signal,
};
