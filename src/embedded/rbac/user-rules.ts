/** All rules of a user, for rules reviews and escalation checks. */
import type { PolicyRule, RoleRef } from '../../kubernetes/types/index.ts';
import { type RuleSource, rulesOfRole, visitGrants } from './rule-source.ts';
import type { User } from './user.ts';

type UserRules = {
  /** In the order of the bindings, possibly with duplicates. */
  readonly rules: readonly PolicyRule[];
  /** Bound roles that do not exist. */
  readonly missing: readonly RoleRef[];
};

/** In a namespace and the cluster; only in the cluster if the namespace is empty. */
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
