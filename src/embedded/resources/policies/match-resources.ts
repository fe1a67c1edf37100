/**
 * MatchResources: the requests that a policy or its binding matches.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import {
  objectAt,
  objectsAt,
  optionalStringAt,
  stringAt,
  stringsAt,
  valueAt,
} from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { goStrings } from '../decoding/go-format.ts';
import { duplicateIndexes } from '../duplicate-indexes.ts';
import { duplicate, invalid, invalidText, required, unsupportedText } from '../field-problems.ts';
import { pathSegmentProblems } from '../path-segment.ts';
import { labelSelectorProblems } from '../workloads/label-selector.ts';

/** Matches all namespaces, objects and equivalent versions by default. */
export function withMatchDefaults(match: JsonObject): JsonObject {
  const filled: JsonObject = {
    ...match,
    matchPolicy: match.matchPolicy ?? 'Equivalent',
    namespaceSelector: match.namespaceSelector ?? {},
    objectSelector: match.objectSelector ?? {},
  };
  return RULE_LISTS.reduce((object, field) => withScopes(object, field), filled);
}

function withScopes(match: JsonObject, field: string): JsonObject {
  if (valueAt(match, field) === undefined) return match;
  return {
    ...match,
    [field]: objectsAt(match, field).map((rule) => ({ ...rule, scope: rule.scope ?? '*' })),
  };
}

export function matchResourcesProblems(match: JsonObject | undefined, path: string): readonly Problem[] {
  if (match === undefined) return [];
  const policy = stringAt(match, 'matchPolicy');
  return [
    ...(POLICIES.includes(policy) ? [] : [unsupportedText(`${path}.matchPolicy`, policy, POLICIES)]),
    ...['namespaceSelector', 'objectSelector'].flatMap((field) =>
      labelSelectorProblems(objectAt(match, field), `${path}.${field}`),
    ),
    ...RULE_LISTS.flatMap((field) =>
      objectsAt(match, field).flatMap((rule, index) => ruleProblems(rule, `${path}.${field}[${index}]`)),
    ),
  ];
}

function ruleProblems(rule: JsonObject, path: string): readonly Problem[] {
  const scope = optionalStringAt(rule, 'scope');
  return [
    ...resourceNameProblems(stringsAt(rule, 'resourceNames'), `${path}.resourceNames`),
    ...operationProblems(stringsAt(rule, 'operations'), `${path}.operations`),
    ...wildcardProblems(stringsAt(rule, 'apiGroups'), `${path}.apiGroups`, 'API groups'),
    ...versionProblems(stringsAt(rule, 'apiVersions'), `${path}.apiVersions`),
    ...resourceProblems(stringsAt(rule, 'resources'), `${path}.resources`),
    ...(scope === undefined || SCOPES.includes(scope)
      ? []
      : [unsupportedText(`${path}.scope`, scope, SCOPES)]),
  ];
}

function resourceNameProblems(names: readonly string[], path: string): readonly Problem[] {
  const duplicates = duplicateIndexes(names);
  return names.flatMap((name, index) => [
    ...pathSegmentProblems(name, false).map((detail) => invalidText(`${path}[${index}]`, name, detail)),
    ...(duplicates.has(index) ? [duplicate(`${path}[${index}]`, quoted(name))] : []),
  ]);
}

function operationProblems(operations: readonly string[], path: string): readonly Problem[] {
  return [
    ...wildcardProblems(operations, path, 'operations', '[]admissionregistration.OperationType'),
    ...operations.flatMap((operation, index) =>
      OPERATIONS.includes(operation) ? [] : [unsupportedText(`${path}[${index}]`, operation, OPERATIONS)],
    ),
  ];
}

function versionProblems(versions: readonly string[], path: string): readonly Problem[] {
  return [
    ...wildcardProblems(versions, path, 'API versions'),
    ...versions.flatMap((version, index) => (version === '' ? [required(`${path}[${index}]`)] : [])),
  ];
}

/** At least one value is required, and `*` must be the only one. */
function wildcardProblems(
  values: readonly string[],
  path: string,
  what: string,
  goType = '[]string',
): readonly Problem[] {
  if (values.length === 0) return [required(path)];
  if (values.length === 1 || !values.includes('*')) return [];
  return [invalid(path, goStrings(values, goType), `if '*' is present, must not specify other ${what}`)];
}

// `pods`, `pods/status`, `pods/*`, `*/status`, `*` must not overlap, as far as kube-apiserver checks it.
function resourceProblems(resources: readonly string[], path: string): readonly Problem[] {
  if (resources.length === 0) return [required(path)];
  const problems: Problem[] = [];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  let hasPlainAtTheEnd = false;
  for (const [index, name] of resources.entries()) {
    const at = `${path}[${index}]`;
    if (name === '') {
      problems.push(required(at));
      continue;
    }
    const slash = name.indexOf('/');
    if (slash < 0) {
      hasPlainAtTheEnd = name !== '*';
      continue;
    }
    const [resource, subresource] = [name.slice(0, slash), name.slice(slash + 1)];
    const covered = (by: string): Problem =>
      invalidText(at, name, `if '${by}' is present, must not specify ${name}`);
    if (wholeResources.has(resource)) problems.push(covered(`${resource}/*`));
    if (wholeSubresources.has(subresource)) problems.push(covered(`*/${subresource}`));
    if (subresource === '*') wholeResources.add(resource);
    if (resource === '*') wholeSubresources.add(subresource);
  }
  const problemWith = (detail: string): Problem => invalid(path, goStrings(resources), detail);
  if (resources.length > 1 && resources.includes('*/*')) {
    problems.push(problemWith("if '*/*' is present, must not specify other resources"));
  }
  // kube-apiserver remembers only the last plain resource: [pods, *] is valid, [*, pods] is not.
  if (resources.includes('*') && hasPlainAtTheEnd) {
    problems.push(problemWith("if '*' is present, must not specify other resources without subresources"));
  }
  return problems;
}

const RULE_LISTS = ['resourceRules', 'excludeResourceRules'];
const POLICIES = ['Equivalent', 'Exact'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
