/**
 * ClusterRoles that are made of others: those whose labels fit lend their rules.
 */

import { canonicalJson, compareBytes, jsonEqual } from '../../base/json.ts';
import { matchesSelector } from '../../kubernetes/meta/index.ts';
import type { ClusterRole, PolicyRule } from '../../kubernetes/types/index.ts';

/**
 * The rules of a role that gathers them, in the order of its selectors and then of the names of the roles; each rule
 * once. Undefined for a role that gathers nothing, whose rules are its own.
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

/** All roles with their gathered rules. A role that gathers may lend what it gathered, so it goes on until all is still. */
export function withAggregatedRules(roles: readonly ClusterRole[]): readonly ClusterRole[] {
  let current = roles;
  // Each round settles at least one more role of a chain.
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
