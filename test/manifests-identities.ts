/**
 * The accounts of `manifests/service-accounts.yaml` as the users that a server takes them for, to run components as
 * themselves: `createInProcessTransport({ handle, user: identities.controller })`.
 */
import { serviceAccountUser, type User } from '../src/embedded/rbac/index.ts';

const NAMESPACE = 'openshift-machine-config-operator';

export const identities = {
  operator: accountUser('machine-config-operator'),
  controller: accountUser('machine-config-controller'),
  server: accountUser('machine-config-server'),
  builder: accountUser('machine-os-builder'),
} as const satisfies { readonly [component: string]: User };

/** The daemons have one account; the token of each says on which node its pod runs. */
export function daemonIdentity(node: string): User {
  return accountUser('machine-config-daemon', {
    podName: `machine-config-daemon-${node}`,
    podUid: `uid-of-daemon-of-${node}`,
    nodeName: node,
    nodeUid: `uid-of-${node}`,
  });
}

/** A token of the daemons' account that is bound to no pod, as `kubectl create token` makes one. */
export const unboundDaemon = accountUser('machine-config-daemon');

function accountUser(name: string, bound: Partial<Parameters<typeof serviceAccountUser>[0]> = {}): User {
  return serviceAccountUser({ namespace: NAMESPACE, name, uid: `uid-of-${name}`, ...bound });
}
