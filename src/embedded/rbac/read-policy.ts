/**
 * Rules and references read from objects that nobody has validated yet: what has the wrong shape counts as absent.
 */

import { isObject, type JsonObject, own } from '../../base/json.ts';
import { type PolicyRule, RBAC_GROUP, type RoleRef } from '../../kubernetes/types/index.ts';

export function policyRulesOf(role: JsonObject): readonly PolicyRule[] {
  const rules = own(role, 'rules');
  return Array.isArray(rules) ? rules.filter(isObject).map(policyRule) : [];
}

export function roleRefOf(binding: JsonObject): RoleRef {
  const ref = objectAt(binding, 'roleRef');
  const apiGroup = textAt(ref, 'apiGroup');
  return {
    apiGroup: apiGroup === '' ? RBAC_GROUP : apiGroup,
    kind: textAt(ref, 'kind'),
    name: textAt(ref, 'name'),
  };
}

export type Fields = { readonly [key: string]: unknown };

export function objectAt(parent: Fields, key: string): Fields {
  const value = own(parent, key);
  return isObject(value) ? value : {};
}

export function textAt(parent: Fields, key: string): string {
  const value = own(parent, key);
  return typeof value === 'string' ? value : '';
}

export function textsAt(parent: Fields, key: string): readonly string[] {
  const value = own(parent, key);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function policyRule(rule: Fields): PolicyRule {
  return {
    verbs: textsAt(rule, 'verbs'),
    apiGroups: textsAt(rule, 'apiGroups'),
    resources: textsAt(rule, 'resources'),
    resourceNames: textsAt(rule, 'resourceNames'),
    nonResourceURLs: textsAt(rule, 'nonResourceURLs'),
  };
}
