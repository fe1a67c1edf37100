/**
 * Prevention of privilege escalation.
 *
 * A user who writes a role must hold all its rules, or be allowed to `escalate` roles; one who binds a role must hold
 * all its rules, or be allowed to `bind` it. This precedes validation, so the shape of the object is not trusted.
 */

import { isObject, type JsonObject, jsonEqual, own } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { type PolicyRule, RBAC_GROUP, type RoleRef } from '../../kubernetes/types/index.ts';
import { authorize } from './authorize.ts';
import { missingRules, quotedList, rulesText } from './missing-rules.ts';
import { policyRulesOf, roleRefOf } from './read-policy.ts';
import { joinReasons, type RuleSource, rulesOfRole, unsupportedKindText } from './rule-source.ts';
import { isMaster, type User } from './user.ts';
import { userRules } from './user-rules.ts';

/** A write to one of the four RBAC kinds. */
export type PolicyWrite = {
  readonly user: User;
  readonly resource: 'roles' | 'clusterroles' | 'rolebindings' | 'clusterrolebindings';
  /** Of the request; empty for cluster-scoped kinds. */
  readonly namespace: string;
  /** The name in the path; empty for creation. */
  readonly requestName: string;
  readonly object: JsonObject;
  /** The stored object; absent for creation. */
  readonly old?: JsonObject;
};

/** The error. Messages lack only the common prefix of their kind. */
type EscalationProblem =
  /** After `roles.rbac.authorization.k8s.io "NAME" is forbidden: `, with the name of the object. */
  | { readonly kind: 'forbidden'; readonly message: string }
  /** The role of a binding does not exist. kube-apiserver reports it under the resource of the request. */
  | { readonly kind: 'notFound'; readonly name: string }
  | { readonly kind: 'badRequest'; readonly message: string }
  /** 500 without a reason. */
  | { readonly kind: 'unknownError'; readonly message: string };

/** Undefined if the write is allowed. */
export function escalationProblem(write: PolicyWrite, source: RuleSource): EscalationProblem | undefined {
  const { user, resource, object, old } = write;
  if (isMaster(user)) return undefined;
  const isRole = resource === 'roles' || resource === 'clusterroles';
  if (isRole && mayEscalate(write, source)) return undefined;
  // The garbage collector must be able to remove finalizers and owners without holding the rules.
  if (old !== undefined && isOnlyForCollector(object, old)) return undefined;
  return isRole ? roleProblem(write, source) : bindingProblem(write, source);
}

function mayEscalate({ user, resource, namespace, requestName }: PolicyWrite, source: RuleSource): boolean {
  const about = { group: RBAC_GROUP, version: '*', resource, subresource: '', namespace, name: requestName };
  return authorize({ kind: 'resource', user, verb: 'escalate', ...about }, source).allowed;
}

function roleProblem(write: PolicyWrite, source: RuleSource): EscalationProblem | undefined {
  const { object, old } = write;
  const problem = grantProblem(write, policyRulesOf(object), source);
  if (problem !== undefined) return problem;
  if (!isAggregated(object) && !isAggregated(old)) return undefined;
  // Rules that are aggregated later would be granted too, so this needs all rights.
  if (grantProblem(write, EVERYTHING, source) === undefined) return undefined;
  return forbidden('must have cluster-admin privileges to use the aggregationRule');
}

function bindingProblem(write: PolicyWrite, source: RuleSource): EscalationProblem | undefined {
  const { user, namespace, object } = write;
  const ref = roleRefOf(object);
  const resource = ROLE_RESOURCES.get(ref.kind);
  if (resource === undefined) return { kind: 'unknownError', message: unsupportedKindText(ref.kind) };
  const about = { group: ref.apiGroup, version: '*', resource, subresource: '', namespace, name: ref.name };
  if (authorize({ kind: 'resource', user, verb: 'bind', ...about }, source).allowed) return undefined;
  const unfit = lookupProblem(ref, namespace);
  if (unfit !== undefined) return { kind: 'badRequest', message: unfit };
  const rules = rulesOfRole(source, ref, namespace);
  return rules === undefined ? { kind: 'notFound', name: ref.name } : grantProblem(write, rules, source);
}

const ROLE_RESOURCES: ReadonlyMap<string, string> = new Map([
  ['ClusterRole', 'clusterroles'],
  ['Role', 'roles'],
]);

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

function grantProblem(
  { user, resource, namespace }: PolicyWrite,
  wanted: readonly PolicyRule[],
  source: RuleSource,
): EscalationProblem | undefined {
  const { rules, missing } = userRules(source, user, namespace);
  const lacking = missingRules(rules, wanted);
  if (lacking.length === 0) return undefined;
  const who = `user ${quoted(user.name)} (groups=${quotedList(user.groups)})`;
  const what = `is attempting to grant RBAC permissions not currently held:\n${rulesText(lacking)}`;
  const lost = missing.map(({ name }) => `${resource}.${RBAC_GROUP} ${quoted(name)} not found`);
  const errors = lost.length === 0 ? '' : `; resolution errors: [${joinReasons(lost)}]`;
  return forbidden(`${who} ${what}${errors}`);
}

function forbidden(message: string): EscalationProblem {
  return { kind: 'forbidden', message };
}

/** The storage error for an invalid key. */
function lookupProblem({ kind, name }: RoleRef, namespace: string): string | undefined {
  if (kind === 'Role' && namespace === '') return 'Namespace parameter required.';
  if (name === '') return 'Name parameter required.';
  const problems = [
    ...(name === '.' || name === '..' ? [`may not be '${name}'`] : []),
    ...['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`),
  ];
  return problems.length === 0 ? undefined : `Name parameter invalid: ${quoted(name)}: ${problems.join(';')}`;
}

function isAggregated(role: JsonObject | undefined): boolean {
  const rule = role === undefined ? undefined : own(role, 'aggregationRule');
  const selectors = isObject(rule) ? own(rule, 'clusterRoleSelectors') : undefined;
  return Array.isArray(selectors) && selectors.length > 0;
}

/** The only fields that the garbage collector changes. */
function isOnlyForCollector(object: JsonObject, old: JsonObject): boolean {
  return jsonEqual(withoutCollectorFields(object), withoutCollectorFields(old));
}

const COLLECTOR_FIELDS: ReadonlySet<string> = new Set([
  'finalizers',
  'ownerReferences',
  'managedFields',
  'selfLink',
]);

function withoutCollectorFields(object: JsonObject): unknown {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  const kept = isObject(metadata)
    ? Object.entries(metadata).filter(([key]) => !COLLECTOR_FIELDS.has(key))
    : [];
  return withoutEmpties({ ...rest, metadata: Object.fromEntries(kept) });
}

/** Empty and absent lists and maps are equal in Go. */
function withoutEmpties(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpties);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, withoutEmpties(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => !isVoid(item)));
}

function isVoid(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
