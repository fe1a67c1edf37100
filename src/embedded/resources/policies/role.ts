/**
 * The strategies of Roles and ClusterRoles: rules on resources or on paths, each with at least one verb.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt, objectsAt, optionalStringsAt, stringsAt } from '../../../base/json-fields.ts';
import { clusterRole, role } from '../../../kubernetes/types/index.ts';
import { builtinStrategy } from '../builtin-strategy.ts';
import { GO_NULL, goStrings } from '../decoding/go-format.ts';
import { invalid, required, twice } from '../field-problems.ts';
import { rbacNameProblems } from '../path-segment.ts';
import type { Strategy } from '../strategy.ts';
import { isValidSelector, labelSelectorProblems } from '../workloads/label-selector.ts';

/** Shared by all four RBAC kinds. */
export const rbacUsage: Pick<Strategy, 'validateName' | 'allowsCreateOnUpdate'> = {
  validateName: rbacNameProblems,
  allowsCreateOnUpdate: true,
};

export const roleStrategy = builtinStrategy({
  of: role,
  ...rbacUsage,
  validateCreate: roleProblems,
  validateUpdate: (object) => twice(roleProblems(object)),
});

export const clusterRoleStrategy = builtinStrategy({
  of: clusterRole,
  ...rbacUsage,
  validateCreate: clusterRoleProblems,
  validateUpdate: (object) => twice(clusterRoleProblems(object)),
});

function roleProblems(object: JsonObject): readonly Problem[] {
  return objectsAt(object, 'rules').flatMap((rule, index) => ruleProblems(rule, `rules[${index}]`, 'Role'));
}

function clusterRoleProblems(object: JsonObject): readonly Problem[] {
  return [
    ...objectsAt(object, 'rules').flatMap((rule, index) =>
      ruleProblems(rule, `rules[${index}]`, 'ClusterRole'),
    ),
    ...aggregationProblems(objectAt(object, 'aggregationRule')),
  ];
}

function ruleProblems(rule: JsonObject, path: string, kind: 'Role' | 'ClusterRole'): readonly Problem[] {
  const has = (field: string): boolean => stringsAt(rule, field).length > 0;
  const problems: Problem[] = [];
  if (!has('verbs')) problems.push(required(`${path}.verbs`, 'verbs must contain at least one value'));
  if (has('nonResourceURLs')) {
    const problemWith = (detail: string): Problem =>
      invalid(`${path}.nonResourceURLs`, goStrings(optionalStringsAt(rule, 'nonResourceURLs')), detail);
    if (kind === 'Role') problems.push(problemWith('namespaced rules cannot apply to non-resource URLs'));
    if (has('apiGroups') || has('resources') || has('resourceNames')) {
      problems.push(problemWith('rules cannot apply to both regular resources and non-resource URLs'));
    }
    return problems;
  }
  if (!has('apiGroups')) {
    problems.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (!has('resources')) {
    problems.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  }
  return problems;
}

function aggregationProblems(aggregation: JsonObject | undefined): readonly Problem[] {
  if (aggregation === undefined) return [];
  const path = 'aggregationRule.clusterRoleSelectors';
  const selectors = objectsAt(aggregation, 'clusterRoleSelectors');
  if (selectors.length === 0) {
    return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, index) => [
    ...labelSelectorProblems(selector, `${path}[${index}]`),
    ...(isValidSelector(selector) ? [] : [invalid(`${path}[${index}]`, GO_NULL, 'invalid label selector.')]),
  ]);
}
