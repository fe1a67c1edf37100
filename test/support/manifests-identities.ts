/**
 * The service accounts of `manifests/service-accounts.yaml` as users, to run components under their own identity:
 * `createInProcessTransport({ handle, user: identities.controller })`.
 */
import { serviceAccountUser, type User } from '../../src/embedded/rbac/index.ts';

const NAMESPACE = 'openshift-machine-config-operator';

export const identities = {
  operator: accountUser('machine-config-operator'),
  controller: accountUser('machine-config-controller'),
  server: accountUser('machine-config-server'),
  builder: accountUser('machine-os-builder'),
} as const satisfies { readonly [component: string]: User };

/** The daemons share one account; each token is bound to the node of its pod. */
export function daemonIdentity(node: string): User {
  return accountUser('machine-config-daemon', {
    podName: `machine-config-daemon-${node}`,
    podUid: `uid-of-daemon-of-${node}`,
    nodeName: node,
    nodeUid: `uid-of-${node}`,
  });
}

/** The token of a build pod is bound to it. */
export function buildPodIdentity(podName: string): User {
  return accountUser('machine-os-build-pod', { podName, podUid: `uid-of-${podName}` });
}

/** A token of the build pods' account that is not bound to a pod. */
export const unboundBuildPod = accountUser('machine-os-build-pod');

/** A token of the daemons' account that is not bound to a pod, as from `kubectl create token`. */
export const unboundDaemon = accountUser('machine-config-daemon');

function accountUser(name: string, bound: Partial<Parameters<typeof serviceAccountUser>[0]> = {}): User {
  return serviceAccountUser({ namespace: NAMESPACE, name, uid: `uid-of-${name}`, ...bound });
}
