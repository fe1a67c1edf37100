/**
 * All that a user is given, as far as roles say it: for those who ask what they may do, and for those who give rights.
 */
import type { PolicyRule, RoleRef } from '../../kubernetes/types/index.ts';
import { type RuleSource, rulesOfRole, visitGrants } from './rule-source.ts';
import type { User } from './user.ts';

type UserRules = {
  /** In the order of the bindings; the same rule may come more than once. */
  readonly rules: readonly PolicyRule[];
  /** Roles that are given but are not there. */
  readonly missing: readonly RoleRef[];
};

/** In a namespace and the whole cluster; in the cluster alone where the namespace is empty. */
export function userRules(source: RuleSource, user: User, namespace: string): UserRules {
  const rules: PolicyRule[] = [];
  const missing: RoleRef[] = [];
  visitGrants(source, user, namespace, ({ binding, namespace: place }) => {
    const found = rulesOfRole(source, binding.roleRef, place);
    if (found === undefined) missing.push(binding.roleRef);
    else for (const rule of found) rules.push(rule);
    return true;
  });
  return { rules, missing };
}
