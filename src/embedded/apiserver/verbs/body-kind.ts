/**
 * Whether the body is of the kind that the path expects. kube-apiserver decodes the body as the kind that it names,
 * and then converts it to the expected kind; the messages show this.
 */

import type { JsonObject } from '../../../base/json.ts';
import { quoted } from '../../../base/text/index.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { findBody } from '../../../kubernetes/types/index.ts';
import type { Resource } from '../../resources/index.ts';

export type Expected = Pick<Resource, 'group' | 'version' | 'kind' | 'origin'>;

/** Defaults to the kind and version of the path. */
type Given = { readonly apiVersion: string; readonly kind: string };

type KindFit =
  | { readonly kind: 'fits' }
  /** The same kind in another version: it can be decoded, but belongs to another path. */
  | { readonly kind: 'otherVersion'; readonly message: string }
  | { readonly kind: 'otherKind'; readonly message: string };

export function givenKind(value: JsonObject, expected: Expected): Given {
  return {
    apiVersion: textOf(value.apiVersion) || apiVersionOf(expected),
    kind: textOf(value.kind) || expected.kind,
  };
}

/** For built-in kinds. */
export function kindFit(given: Given, expected: Expected): KindFit {
  const wanted = apiVersionOf(expected);
  if (given.kind === expected.kind) {
    if (given.apiVersion === wanted) return { kind: 'fits' };
    if (OTHER_VERSIONS.get(given.kind)?.includes(given.apiVersion) === true) {
      return { kind: 'otherVersion', message: otherVersionText(given.apiVersion, wanted) };
    }
  }
  const to = `(${packageOf(expected.group)}.${expected.kind})`;
  const message = isRegistered(given, expected)
    ? `converting (${versionOf(given)}.${given.kind}) to ${to}: unknown conversion`
    : unregistered(given);
  return { kind: 'otherKind', message };
}

export function otherVersionText(given: string, wanted: string): string {
  return `the API version in the data (${given}) does not match the expected API version (${wanted})`;
}

export function unregistered({ apiVersion, kind }: Given): string {
  return `no kind ${quoted(kind)} is registered for version ${quoted(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`;
}

export function versionOf({ apiVersion }: Given): string {
  return apiVersion.split('/').at(-1) ?? '';
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Versions that kube-apiserver can decode, though it does not serve them any more. */
const OTHER_VERSIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Deployment', ['apps/v1beta1', 'apps/v1beta2', 'extensions/v1beta1']],
  ['ReplicaSet', ['apps/v1beta2', 'extensions/v1beta1']],
  ['DaemonSet', ['apps/v1beta2', 'extensions/v1beta1']],
  ['Scale', ['apps/v1beta1', 'apps/v1beta2', 'extensions/v1beta1']],
  ['Event', ['v1', 'events.k8s.io/v1', 'events.k8s.io/v1beta1']],
  ['Lease', ['coordination.k8s.io/v1beta1']],
  ['PodDisruptionBudget', ['policy/v1beta1']],
  ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map(
    (kind) => [kind, olderVersions('rbac.authorization.k8s.io')] as const,
  ),
  ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'].map(
    (kind) => [kind, olderVersions('admissionregistration.k8s.io')] as const,
  ),
  ['TokenReview', ['authentication.k8s.io/v1beta1']],
  ['SelfSubjectReview', olderVersions('authentication.k8s.io')],
  ...[
    'SubjectAccessReview',
    'SelfSubjectAccessReview',
    'LocalSubjectAccessReview',
    'SelfSubjectRulesReview',
  ].map((kind) => [kind, ['authorization.k8s.io/v1beta1']] as const),
  ['CustomResourceDefinition', ['apiextensions.k8s.io/v1beta1']],
]);

function olderVersions(group: string): readonly string[] {
  return [`${group}/v1beta1`, `${group}/v1alpha1`];
}

/** Kinds that are registered in every API group. */
const COMMON_KINDS: ReadonlySet<string> = new Set([
  'Status',
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
]);
const DEFINITIONS_GROUP = 'apiextensions.k8s.io';

/** CustomResourceDefinitions have an API server of their own, with its own scheme. */
function isRegistered({ apiVersion, kind }: Given, expected: Expected): boolean {
  if (apiVersion === 'v1' && COMMON_KINDS.has(kind)) return true;
  const isOfDefinitions = apiVersion.startsWith(`${DEFINITIONS_GROUP}/`);
  if (isOfDefinitions !== (expected.group === DEFINITIONS_GROUP)) return false;
  if (apiVersion === 'v1' && kind === 'List') return true;
  const isList = kind.endsWith('List') && findBody(apiVersion, kind.slice(0, -'List'.length)) !== undefined;
  return (
    isList ||
    findBody(apiVersion, kind) !== undefined ||
    OTHER_VERSIONS.get(kind)?.includes(apiVersion) === true
  );
}

/** The Go package of a group's internal types, which messages show. */
function packageOf(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? group);
}
