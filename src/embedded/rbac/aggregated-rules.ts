/** Aggregated ClusterRoles: their rules come from the roles that their selectors match. */

import { canonicalJson, compareBytes, jsonEqual } from '../../base/json.ts';
import { matchesSelector } from '../../kubernetes/meta/index.ts';
import type { ClusterRole, PolicyRule } from '../../kubernetes/types/index.ts';

/**
 * The aggregated rules, in the order of the selectors and then of role names, without duplicates. Undefined for a
 * role without an aggregationRule.
 */
export function aggregatedRules(
  role: ClusterRole,
  others: readonly ClusterRole[],
): readonly PolicyRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined;
  const rules = new Map<string, PolicyRule>();
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const lenders = others
      .filter(({ metadata }) => metadata.name !== role.metadata.name)
      .filter(({ metadata }) => matchesSelector(selector, metadata.labels))
      .sort((a, b) => compareBytes(a.metadata.name, b.metadata.name));
    for (const rule of lenders.flatMap((lender) => lender.rules ?? [])) {
      const key = canonicalJson(rule);
      if (!rules.has(key)) rules.set(key, rule);
    }
  }
  return [...rules.values()];
}

/**
 * All roles with their aggregated rules. Aggregated roles can be aggregated again, so this repeats until nothing
 * changes.
 */
export function withAggregatedRules(roles: readonly ClusterRole[]): readonly ClusterRole[] {
  let current = roles;
  // Each round completes at least one more role of a chain.
  for (let round = 0; round < roles.length; round++) {
    const before = current;
    const next = before.map((role) => {
      const rules = aggregatedRules(role, before);
      return rules === undefined || jsonEqual(rules, role.rules ?? []) ? role : { ...role, rules };
    });
    if (next.every((role, index) => role === before[index])) break;
    current = next;
  }
  return current;
}
