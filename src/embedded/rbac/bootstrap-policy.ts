/**
 * The bootstrap policy: roles and bindings of a new cluster. Without them only `system:masters` could do anything.
 *
 * It is that of Kubernetes 1.33, complete. The rules of aggregated roles are included, as on a cluster whose
 * controller has run.
 */

import { compareBytes } from '../../base/json.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../kubernetes/types/index.ts';
import { withAggregatedRules } from './aggregated-rules.ts';
import { certificateRoles, componentRoles } from './bootstrap-components.ts';
import { controllerRules } from './bootstrap-controllers.ts';
import { basicRoles, userFacingRoles } from './bootstrap-user-roles.ts';
import {
  account,
  CORE,
  clusterRole,
  clusterRoleBinding,
  group,
  READ,
  role,
  roleBinding,
  rule,
  user,
  writesEvents,
} from './policy-builders.ts';
import { AUTHENTICATED_GROUP, MASTERS_GROUP, UNAUTHENTICATED_GROUP } from './user.ts';

export type BootstrapPolicy = {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  /** In the namespaces `kube-system` and `kube-public`. */
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
};

const CONTROLLER = 'system:controller:';
const controllers = Object.entries(controllerRules);

const clusterRoles = [
  ...userFacingRoles,
  ...basicRoles,
  ...componentRoles,
  ...certificateRoles,
  ...controllers.map(([name, rules]) => clusterRole(`${CONTROLLER}${name}`, rules)),
];

const clusterRoleBindings = [
  clusterRoleBinding('cluster-admin', [group(MASTERS_GROUP)]),
  clusterRoleBinding('system:basic-user', [group(AUTHENTICATED_GROUP)]),
  clusterRoleBinding('system:discovery', [group(AUTHENTICATED_GROUP)]),
  clusterRoleBinding('system:public-info-viewer', [group(AUTHENTICATED_GROUP), group(UNAUTHENTICATED_GROUP)]),
  clusterRoleBinding('system:service-account-issuer-discovery', [group('system:serviceaccounts')]),
  clusterRoleBinding('system:monitoring', [group('system:monitoring')]),
  clusterRoleBinding('system:kube-controller-manager', [user('system:kube-controller-manager')]),
  clusterRoleBinding('system:kube-scheduler', [user('system:kube-scheduler')]),
  clusterRoleBinding('system:volume-scheduler', [user('system:kube-scheduler')]),
  clusterRoleBinding('system:kube-dns', [account('kube-dns')]),
  // Kubelets are authorized by the Node authorizer instead.
  clusterRoleBinding('system:node', []),
  clusterRoleBinding('system:node-proxier', [user('system:kube-proxy')]),
  ...controllers.map(([name]) => clusterRoleBinding(`${CONTROLLER}${name}`, [account(name)])),
];

const system = (name: string) => ({ namespace: 'kube-system', name });
const inPublic = (name: string) => ({ namespace: 'kube-public', name });
const lockOf = (component: string) => system(`system::leader-locking-${component}`);

const roles = [
  role(inPublic('system:controller:bootstrap-signer'), [
    rule(READ, CORE, 'configmaps'),
    rule('update', CORE, 'configmaps', 'cluster-info'),
    writesEvents,
  ]),
  role(system('extension-apiserver-authentication-reader'), [
    rule(READ, CORE, 'configmaps', 'extension-apiserver-authentication'),
  ]),
  leaderElectionRole('kube-controller-manager'),
  leaderElectionRole('kube-scheduler'),
  role(system('system:controller:bootstrap-signer'), [rule(READ, CORE, 'secrets')]),
  role(system('system:controller:cloud-provider'), [rule(`create ${READ}`, CORE, 'configmaps')]),
  role(system('system:controller:token-cleaner'), [rule(`delete ${READ}`, CORE, 'secrets'), writesEvents]),
];

/** For leader election by Leases. */
function leaderElectionRole(component: string): Role {
  return role(lockOf(component), [
    rule('watch', CORE, 'configmaps'),
    rule('get update', CORE, 'configmaps', component),
    rule(`create update ${READ}`, 'coordination.k8s.io', 'leases'),
    rule(`create update ${READ}`, 'coordination.k8s.io', 'leasecandidates'),
  ]);
}

const roleBindings = [
  roleBinding(inPublic('system:controller:bootstrap-signer'), [account('bootstrap-signer')]),
  roleBinding(
    system('system::extension-apiserver-authentication-reader'),
    [user('system:kube-controller-manager'), user('system:kube-scheduler')],
    'extension-apiserver-authentication-reader',
  ),
  roleBinding(lockOf('kube-controller-manager'), [
    user('system:kube-controller-manager'),
    account('kube-controller-manager'),
    account('leader-election-controller'),
  ]),
  roleBinding(lockOf('kube-scheduler'), [user('system:kube-scheduler'), account('kube-scheduler')]),
  roleBinding(system('system:controller:bootstrap-signer'), [account('bootstrap-signer')]),
  roleBinding(system('system:controller:cloud-provider'), [account('cloud-provider')]),
  roleBinding(system('system:controller:token-cleaner'), [account('token-cleaner')]),
];

/** Sorted by name, as in lists. */
export const bootstrapPolicy: BootstrapPolicy = {
  clusterRoles: byName(withAggregatedRules(clusterRoles)),
  clusterRoleBindings: byName(clusterRoleBindings),
  roles,
  roleBindings,
};

function byName<T extends { readonly metadata: { readonly name: string } }>(
  objects: readonly T[],
): readonly T[] {
  return objects.toSorted((a, b) => compareBytes(a.metadata.name, b.metadata.name));
}
