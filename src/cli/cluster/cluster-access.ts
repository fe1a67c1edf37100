/** How a component finds the API server and authenticates to it. */
import { resolve } from 'node:path';
import { Failure } from '../../base/errors.ts';
import { readInCluster } from '../../kubernetes/client/in-cluster-node.ts';
import type { ServerAccess } from '../../kubernetes/client/index.ts';
import type { Ports } from '../ports.ts';

export type AccessOptions = { readonly kubeconfig?: string };

/** The given kubeconfig, else the in-cluster config of the pod. */
export async function clusterAccess({ kubeconfig }: AccessOptions, ports: Ports): Promise<ServerAccess> {
  if (kubeconfig !== undefined) {
    // Loaded on demand: daemons run in pods, need no YAML parser, and should stay small.
    const { readKubeconfig } = await import('../../kubernetes/client/kubeconfig-node.ts');
    return readKubeconfig(resolve(ports.cwd, kubeconfig));
  }
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = ports.environment;
  try {
    return await readInCluster({ host, port });
  } catch (error) {
    if (!(error instanceof Failure) || error.reason !== 'NotInCluster') throw error;
    throw new Failure('usage', error.reason, `${error.message}: give a kubeconfig with --kubeconfig`, error);
  }
}
