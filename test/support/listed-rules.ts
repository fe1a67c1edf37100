/**
 * A rule source over plain lists, for a fixed policy such as the bootstrap policy.
 */
import type { BootstrapPolicy } from '../../src/embedded/rbac/bootstrap-policy.ts';
import type { RuleSource } from '../../src/embedded/rbac/rule-source.ts';

/** Missing lists are empty. They are read once, at creation. */
export function listedRules(policy: Partial<BootstrapPolicy>): RuleSource {
  const { clusterRoles = [], clusterRoleBindings = [], roles = [], roleBindings = [] } = policy;
  const clusterRolesByName = new Map(clusterRoles.map((role) => [role.metadata.name, role]));
  const rolesByKey = new Map(roles.map((role) => [keyOf(role.metadata), role]));
  return {
    clusterRole: (name) => clusterRolesByName.get(name),
    role: (namespace, name) => rolesByKey.get(keyOf({ namespace, name })),
    clusterRoleBindings: () => clusterRoleBindings,
    roleBindings: (namespace) => roleBindings.filter(({ metadata }) => metadata.namespace === namespace),
  };
}

function keyOf({ namespace = '', name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
