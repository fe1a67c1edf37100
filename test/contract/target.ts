/**
 * The server under test: a real Kubernetes, or whatever a kubeconfig leads to.
 *
 * `MILLWRIGHT_CONTRACT_TARGET` is `kubernetes` or the path of a kubeconfig. For the latter,
 * `MILLWRIGHT_CONTRACT_USERS` may name a file in the form of kube-apiserver's token file, with users that
 * the server knows and that have no rights.
 */
import { readFile } from 'node:fs/promises';
import type { Credentials } from '../kubernetes/kubeconfig.ts';
import { readKubeconfig } from '../kubernetes/kubeconfig.ts';
import { startKubernetes, type TokenUser } from '../kubernetes/kubernetes.ts';
import type { Unavailable } from '../oracle/oracle.ts';

export type Target = {
  readonly name: string;
  readonly kubeconfigPath: string;
  readonly url: string;
  readonly ca: string;
  readonly admin: Credentials;
  readonly users: readonly TokenUser[];
  /** Starts the controllers (garbage collection, namespaces, disruption budgets). Absent if they never run. */
  readonly startControllers?: () => Promise<void>;
  /** Compacts the history. Absent if the target cannot. */
  readonly expireHistory?: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export async function startTarget(
  which = process.env.MILLWRIGHT_CONTRACT_TARGET,
): Promise<Target | Unavailable> {
  if (which === undefined) return { unavailable: 'MILLWRIGHT_CONTRACT_TARGET is not set' };
  return which === 'kubernetes' ? kubernetesTarget() : kubeconfigTarget(which);
}

async function kubernetesTarget(): Promise<Target | Unavailable> {
  const cluster = await startKubernetes();
  if ('unavailable' in cluster) return cluster;
  const { caPem, adminCert, adminKey, ...rest } = cluster;
  return { ...rest, name: 'kubernetes', ca: caPem, admin: { cert: adminCert, key: adminKey } };
}

async function kubeconfigTarget(path: string): Promise<Target> {
  const { caPem, ...rest } = await readKubeconfig(path);
  const users = await usersFrom(process.env.MILLWRIGHT_CONTRACT_USERS);
  return { ...rest, name: path, ca: caPem, users, stop: async () => undefined };
}

/** Lines of `token,name,uid,"group,group"`. */
async function usersFrom(path: string | undefined): Promise<readonly TokenUser[]> {
  if (path === undefined) return [];
  return (await readFile(path, 'utf8')).split('\n').flatMap((line) => {
    const [, token, name, groups] = /^([^,]+),([^,]+),[^,]*(?:,"?([^"]*)"?)?$/.exec(line) ?? [];
    if (token === undefined || name === undefined) return [];
    return [{ token, name, groups: groups === undefined || groups === '' ? [] : groups.split(',') }];
  });
}
