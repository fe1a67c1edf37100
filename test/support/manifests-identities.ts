/**
 * The service accounts of `manifests/service-accounts.yaml` as users, to run components under their own identity:
 * `createInProcessTransport({ handle, user: identities.controller })`.
 */
import { serviceAccountUser, type User } from '../../src/embedded/rbac/index.ts';

const NAMESPACE = 'openshift-machine-config-operator';

export const identities = identitiesIn(NAMESPACE);

export function identitiesIn(namespace: string) {
  const account = (name: string) => accountUser(name, { namespace });
  return {
    operator: account('machine-config-operator'),
    controller: account('machine-config-controller'),
    server: account('machine-config-server'),
    builder: account('machine-os-builder'),
  } as const satisfies { readonly [component: string]: User };
}

/** The daemons share one account; each token is bound to the node of its pod. */
export function daemonIdentity(node: string, namespace = NAMESPACE): User {
  return accountUser('machine-config-daemon', {
    namespace,
    podName: `machine-config-daemon-${node}`,
    podUid: `uid-of-daemon-of-${node}`,
    nodeName: node,
    nodeUid: `uid-of-${node}`,
  });
}

/** The token of a build pod is bound to it. */
export function buildPodIdentity(podName: string, namespace = NAMESPACE): User {
  return accountUser('machine-os-build-pod', { namespace, podName, podUid: `uid-of-${podName}` });
}

/** A token of the build pods' account that is not bound to a pod. */
export const unboundBuildPod = accountUser('machine-os-build-pod');

/** A token of the daemons' account that is not bound to a pod, as from `kubectl create token`. */
export const unboundDaemon = accountUser('machine-config-daemon');

function accountUser(name: string, bound: Partial<Parameters<typeof serviceAccountUser>[0]> = {}): User {
  return serviceAccountUser({ namespace: NAMESPACE, name, uid: `uid-of-${name}`, ...bound });
}
