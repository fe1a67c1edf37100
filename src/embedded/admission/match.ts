/** Matches a request against `matchConstraints` or `matchResources`. */

import { isObject, own } from '../../base/json.ts';
import { type Fields, objectsAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { quoted } from '../../base/text/index.ts';
import {
  isEmptySelector,
  type LabelSelector,
  labelsOf,
  matchesSelector,
} from '../../kubernetes/meta/index.ts';
import type { AdmissionContext, AdmissionRequest, Equivalent, ResourceName } from './admission.ts';

/** `as`: the version of the resource that the rules match, if it is not the requested one. */
type Match =
  | { readonly kind: 'match'; readonly as: ResourceName | Equivalent }
  | { readonly kind: 'no match' }
  | { readonly kind: 'failed'; readonly message: string };

type MatchContext = Pick<AdmissionContext, 'namespaceNamed' | 'equivalents'>;

const NO_MATCH: Match = { kind: 'no match' };

export function matchResources(constraints: Fields, request: AdmissionRequest, context: MatchContext): Match {
  if (!matchesObject(constraints, request)) return NO_MATCH;
  const space = matchesNamespace(constraints, request, context);
  if (space === false) return NO_MATCH;
  const rules = objectsAt(constraints, 'resourceRules');
  const isExact = stringAt(constraints, 'matchPolicy') === 'Exact';
  const equivalents = isExact ? [] : (context.equivalents?.(request.resource) ?? []);
  const excluded = objectsAt(constraints, 'excludeResourceRules');
  if (firstMatch(excluded, request, equivalents) !== undefined) return NO_MATCH;
  const as = rules.length === 0 ? request.resource : firstMatch(rules, request, equivalents);
  if (as === undefined) return NO_MATCH;
  // A missing namespace matters only if everything else matches.
  return space === true ? { kind: 'match', as } : { kind: 'failed', message: space };
}

/** The resources of the rules, without subresources. */
export function resourcesOf(constraints: Fields): readonly string[] {
  return objectsAt(constraints, 'resourceRules').flatMap((rule) =>
    stringsAt(rule, 'resources').map((text) => split(text).resource),
  );
}

/** The requested version takes precedence. */
function firstMatch(
  rules: readonly Fields[],
  request: AdmissionRequest,
  equivalents: readonly Equivalent[],
): ResourceName | Equivalent | undefined {
  if (rules.some((rule) => matchesRule(rule, request, request.resource))) return request.resource;
  for (const rule of rules) {
    const found = equivalents.find((equivalent) => matchesRule(rule, request, equivalent));
    if (found !== undefined) return found;
  }
  return undefined;
}

function matchesRule(rule: Fields, request: AdmissionRequest, resource: ResourceName): boolean {
  const names = stringsAt(rule, 'resourceNames');
  return (
    matchesScope(stringAt(rule, 'scope'), request) &&
    includes(rule, 'operations', request.operation) &&
    includes(rule, 'apiGroups', resource.group) &&
    includes(rule, 'apiVersions', resource.version) &&
    stringsAt(rule, 'resources').some((text) => matchesResource(text, request, resource)) &&
    (names.length === 0 || names.includes(request.name))
  );
}

function includes(rule: Fields, key: string, wanted: string): boolean {
  return stringsAt(rule, key).some((text) => text === '*' || text === wanted);
}

/** `pods` matches the object only, `pods/*` also all its subresources. */
function matchesResource(text: string, request: AdmissionRequest, resource: ResourceName): boolean {
  const { resource: plural, subresource } = split(text);
  return (
    (plural === '*' || plural === resource.plural) &&
    (subresource === '*' || subresource === request.subresource)
  );
}

function split(text: string): { readonly resource: string; readonly subresource: string } {
  const slash = text.indexOf('/');
  if (slash < 0) return { resource: text, subresource: '' };
  return { resource: text.slice(0, slash), subresource: text.slice(slash + 1) };
}

function matchesScope(scope: string, request: AdmissionRequest): boolean {
  if (scope === '' || scope === '*') return true;
  const isCluster = isNamespaces(request) || request.namespace === '';
  return scope === 'Cluster' ? isCluster : scope === 'Namespaced' && !isCluster;
}

/** Namespaces are cluster-scoped, though their attributes contain a namespace. */
export function isNamespaces({ resource }: AdmissionRequest): boolean {
  return resource.group === '' && resource.plural === 'namespaces';
}

function matchesObject(constraints: Fields, { object, oldObject }: AdmissionRequest): boolean {
  const selector = selectorAt(constraints, 'objectSelector');
  if (isEmptySelector(selector)) return true;
  return [object, oldObject].some((one) => one !== undefined && matchesSelector(selector, labelsOf(one)));
}

/** Or the error. */
function matchesNamespace(
  constraints: Fields,
  request: AdmissionRequest,
  context: MatchContext,
): boolean | string {
  if (request.namespace === '' && !isNamespaces(request)) return true;
  const selector = selectorAt(constraints, 'namespaceSelector');
  if (isEmptySelector(selector)) return true;
  const { object, operation, subresource, namespace } = request;
  const isWritten = isNamespaces(request) && subresource === '' && operation !== 'DELETE';
  const space = isWritten && object !== undefined ? object : context.namespaceNamed(namespace);
  if (space === undefined) return `namespaces ${quoted(namespace)} not found`;
  return matchesSelector(selector, labelsOf(space));
}

/** Not validated: the selector package does that. */
function selectorAt(constraints: Fields, key: string): LabelSelector | undefined {
  const selector = own(constraints, key);
  return isObject(selector) ? (selector as LabelSelector) : undefined;
}
