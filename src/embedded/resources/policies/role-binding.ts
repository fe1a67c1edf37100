/**
 * The strategies of RoleBindings and ClusterRoleBindings: subjects are validated and the role reference is immutable.
 */

import type { Problem } from '../../../base/errors.ts';
import { type JsonObject, jsonEqual } from '../../../base/json.ts';
import { objectAt, objectsAt, stringAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { checkDnsSubdomain } from '../../../kubernetes/meta/index.ts';
import { clusterRoleBinding, RBAC_GROUP, roleBinding } from '../../../kubernetes/types/index.ts';
import { builtinStrategy } from '../builtin-strategy.ts';
import { invalid, invalidText, required, twice, unsupportedText } from '../field-problems.ts';
import { rbacNameProblems } from '../path-segment.ts';
import type { Strategy } from '../strategy.ts';
import { rbacUsage } from './role.ts';

export const roleBindingStrategy = bindingStrategy(roleBinding, {
  roleKinds: ['Role', 'ClusterRole'],
  isNamespaced: true,
});

export const clusterRoleBindingStrategy = bindingStrategy(clusterRoleBinding, {
  roleKinds: ['ClusterRole'],
  isNamespaced: false,
});

type BindingKind = {
  /** The kinds of roles that can be referenced. */
  readonly roleKinds: readonly string[];
  readonly isNamespaced: boolean;
};

function bindingStrategy(of: Parameters<typeof builtinStrategy>[0]['of'], kind: BindingKind): Strategy {
  return builtinStrategy({
    of,
    ...rbacUsage,
    afterSchemaDefaults: withGroups,
    validateCreate: (object) => bindingProblems(object, kind),
    validateUpdate: (object, old) => [
      ...twice(bindingProblems(object, kind)),
      ...changedRoleProblems(object, old),
    ],
  });
}

/** Users and groups are in the RBAC group, ServiceAccounts in the core group. */
function withGroups(object: JsonObject): JsonObject {
  const roleRef = objectAt(object, 'roleRef') ?? {};
  const filled = {
    ...object,
    roleRef: { ...roleRef, apiGroup: stringAt(roleRef, 'apiGroup') || RBAC_GROUP },
  };
  if (object.subjects === undefined) return filled;
  return { ...filled, subjects: objectsAt(object, 'subjects').map(withGroup) };
}

function withGroup(subject: JsonObject): JsonObject {
  const isOurs = ['User', 'Group'].includes(stringAt(subject, 'kind'));
  return isOurs && stringAt(subject, 'apiGroup') === '' ? { ...subject, apiGroup: RBAC_GROUP } : subject;
}

function bindingProblems(object: JsonObject, { roleKinds, isNamespaced }: BindingKind): readonly Problem[] {
  const role = objectAt(object, 'roleRef');
  const group = stringAt(role, 'apiGroup');
  const kind = stringAt(role, 'kind');
  const name = stringAt(role, 'name');
  const problems: Problem[] = [];
  if (group !== RBAC_GROUP) problems.push(unsupportedText('roleRef.apiGroup', group, [RBAC_GROUP]));
  if (!roleKinds.includes(kind)) problems.push(unsupportedText('roleRef.kind', kind, roleKinds));
  if (name === '') problems.push(required('roleRef.name'));
  problems.push(...rbacNameProblems(name).map((detail) => invalidText('roleRef.name', name, detail)));
  return [
    ...problems,
    ...objectsAt(object, 'subjects').flatMap((subject, index) =>
      subjectProblems(subject, `subjects[${index}]`, isNamespaced),
    ),
  ];
}

function subjectProblems(subject: JsonObject, path: string, isNamespaced: boolean): readonly Problem[] {
  const name = stringAt(subject, 'name');
  const kind = stringAt(subject, 'kind');
  const group = stringAt(subject, 'apiGroup');
  const problems: Problem[] = name === '' ? [required(`${path}.name`)] : [];
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') {
        problems.push(...checkDnsSubdomain(name).map((detail) => invalidText(`${path}.name`, name, detail)));
      }
      if (group !== '') problems.push(unsupportedText(`${path}.apiGroup`, group, ['']));
      if (!isNamespaced && stringAt(subject, 'namespace') === '') {
        problems.push(required(`${path}.namespace`));
      }
      return problems;
    case 'User':
    case 'Group':
      if (group !== RBAC_GROUP) problems.push(unsupportedText(`${path}.apiGroup`, group, [RBAC_GROUP]));
      return problems;
    default:
      return [...problems, unsupportedText(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

function changedRoleProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  const role = objectAt(object, 'roleRef');
  if (jsonEqual(role ?? null, objectAt(old, 'roleRef') ?? null)) return [];
  const [group, kind, name] = ['apiGroup', 'kind', 'name'].map((field) => quoted(stringAt(role, field)));
  const value = `rbac.RoleRef{APIGroup:${group}, Kind:${kind}, Name:${name}}`;
  return [invalid('roleRef', value, 'cannot change roleRef')];
}
