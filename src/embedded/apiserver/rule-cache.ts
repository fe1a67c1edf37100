/** Roles and bindings from the store, for the authorizer. */

import { assert } from '../../base/errors.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../kubernetes/types/index.ts';
import { RBAC_GROUP } from '../../kubernetes/types/index.ts';
import type { RuleSource } from '../rbac/index.ts';
import type { Catalog } from './catalog.ts';
import type { Store } from './store/store.ts';
import { StoreCache } from './store/store-cache.ts';

type RuleCache = RuleSource & { readonly stop: () => void };

export function openRuleCache(store: Store, catalog: Catalog): RuleCache {
  const cacheOf = (plural: string): StoreCache => {
    const resource = catalog.find(RBAC_GROUP, 'v1', plural);
    assert(resource !== undefined, `${plural} are served`);
    return new StoreCache(store, resource);
  };
  const caches = {
    clusterRoles: cacheOf('clusterroles'),
    roles: cacheOf('roles'),
    clusterRoleBindings: cacheOf('clusterrolebindings'),
    roleBindings: cacheOf('rolebindings'),
  };
  // Objects are validated before they are stored, so the caches hold objects of their kinds.
  return {
    clusterRole: (name) => caches.clusterRoles.get(name) as ClusterRole | undefined,
    role: (namespace, name) => caches.roles.get(`${namespace}/${name}`) as Role | undefined,
    clusterRoleBindings: () =>
      caches.clusterRoleBindings.all() as readonly unknown[] as readonly ClusterRoleBinding[],
    roleBindings: (namespace) =>
      caches.roleBindings.in(namespace) as readonly unknown[] as readonly RoleBinding[],
    stop: () => {
      for (const cache of Object.values(caches)) cache.stop();
    },
  };
}
