/** Roles and bindings as they are now, for whoever asks what a user may do. */

import { assert } from '../../base/errors.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../kubernetes/types/index.ts';
import { RBAC_GROUP } from '../../kubernetes/types/index.ts';
import type { RuleSource } from '../rbac/index.ts';
import type { Catalog } from './catalog.ts';
import type { Store } from './store/store.ts';
import { Mirror } from './store/store-cache.ts';

type LiveRules = RuleSource & { readonly stop: () => void };

export function openRules(store: Store, catalog: Catalog): LiveRules {
  const mirrorOf = (plural: string): Mirror => {
    const resource = catalog.find(RBAC_GROUP, 'v1', plural);
    assert(resource !== undefined, `${plural} are served`);
    return new Mirror(store, resource);
  };
  const mirrors = {
    clusterRoles: mirrorOf('clusterroles'),
    roles: mirrorOf('roles'),
    clusterRoleBindings: mirrorOf('clusterrolebindings'),
    roleBindings: mirrorOf('rolebindings'),
  };
  // What is stored has been checked when it was written, so the mirrors hold objects of their kinds.
  return {
    clusterRole: (name) => mirrors.clusterRoles.get(name) as ClusterRole | undefined,
    role: (namespace, name) => mirrors.roles.get(`${namespace}/${name}`) as Role | undefined,
    clusterRoleBindings: () =>
      mirrors.clusterRoleBindings.all() as readonly unknown[] as readonly ClusterRoleBinding[],
    roleBindings: (namespace) =>
      mirrors.roleBindings.in(namespace) as readonly unknown[] as readonly RoleBinding[],
    stop: () => {
      for (const mirror of Object.values(mirrors)) mirror.stop();
    },
  };
}
