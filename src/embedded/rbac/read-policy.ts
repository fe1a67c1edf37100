/** Rules and references of objects that are not yet validated: values of the wrong type count as absent. */

import type { JsonObject } from '../../base/json.ts';
import { type Fields, objectAt, objectsAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { type PolicyRule, RBAC_GROUP, type RoleRef } from '../../kubernetes/types/index.ts';

export function policyRulesOf(role: JsonObject): readonly PolicyRule[] {
  return objectsAt(role, 'rules').map(policyRule);
}

export function roleRefOf(binding: JsonObject): RoleRef {
  const ref = objectAt(binding, 'roleRef');
  const apiGroup = stringAt(ref, 'apiGroup');
  return {
    apiGroup: apiGroup === '' ? RBAC_GROUP : apiGroup,
    kind: stringAt(ref, 'kind'),
    name: stringAt(ref, 'name'),
  };
}

function policyRule(rule: Fields): PolicyRule {
  return {
    verbs: stringsAt(rule, 'verbs'),
    apiGroups: stringsAt(rule, 'apiGroups'),
    resources: stringsAt(rule, 'resources'),
    resourceNames: stringsAt(rule, 'resourceNames'),
    nonResourceURLs: stringsAt(rule, 'nonResourceURLs'),
  };
}
