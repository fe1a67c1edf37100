/**
 * Validation of ObjectMeta, with the messages of kube-apiserver.
 *
 * kube-apiserver validates metadata several times on update: once generically, and again in the validation of the kind,
 * in an order of its own. Each pass finds the same causes and all of them are in the Status (its message has each text
 * once). The passes of each resource are therefore listed here.
 */

import { type Problem, unreachable } from '../../base/errors.ts';
import { byteLength, type JsonObject } from '../../base/json.ts';
import {
  numberAt,
  optionalNumberAt,
  optionalStringAt,
  stringAt,
  stringMapAt,
  stringsAt,
} from '../../base/json-fields.ts';
import { checkDnsLabel, checkLabelValue, checkQualifiedName } from '../../kubernetes/meta/index.ts';
import { goStrings, goTime } from './decoding/go-format.ts';
import { forbidden, invalid, invalidText, required, tooLong } from './field-problems.ts';
import { ownerProblems } from './owner-references.ts';
import { pathSegmentProblems } from './path-segment.ts';
import { groupResourceOf, type Resource } from './resource.ts';

/** What the validation of metadata depends on. */
export type ObjectMetaResource = Pick<Resource, 'plural' | 'group' | 'scope' | 'origin'> & {
  readonly strategy: Pick<Resource['strategy'], 'validateName'>;
};

/** Problems with the metadata of an object that is created. */
export function objectMetaProblems(object: JsonObject, resource: ObjectMetaResource): readonly Problem[] {
  const { scope, strategy } = resource;
  const shared = sharedProblems(object);
  return wholeProblems(
    object,
    { scope, validateName: strategy.validateName, shared },
    validatesFinalizerNames(resource),
  );
}

/** Problems with the metadata of an object that is updated, possibly through a subresource. */
export function objectMetaUpdateProblems(
  object: JsonObject,
  old: JsonObject,
  resource: ObjectMetaResource,
  subresource?: string,
): readonly Problem[] {
  const { scope } = resource;
  // Computed once for all passes.
  const shared = sharedProblems(object);
  const changes = changeProblems(object, old, shared);
  return [
    ...wholeProblems(object, { scope, validateName: pathSegmentProblems, shared }, false),
    ...changes,
    ...passesOf(resource, subresource).flatMap((pass) => {
      const { validateName } = resource.strategy;
      return passProblems(pass, object, { changes, context: { scope, validateName, shared } });
    }),
  ];
}

type PassInput = { readonly changes: readonly Problem[]; readonly context: PassContext };

function passProblems(
  pass: ValidationPass,
  object: JsonObject,
  { changes, context }: PassInput,
): readonly Problem[] {
  switch (pass) {
    case 'change':
      return [...changes, ...finalizerNameProblems(object)];
    case 'plain change':
      return changes;
    case 'whole':
      return wholeProblems(object, context, true);
    case 'plain whole':
      return wholeProblems(object, context, false);
    default:
      return unreachable(pass);
  }
}

/**
 * `change` compares with the old object, `whole` validates the object by itself; `plain`: without the names of
 * finalizers.
 */
type ValidationPass = 'change' | 'plain change' | 'whole' | 'plain whole';

const CUSTOM_PASSES: readonly ValidationPass[] = ['plain change'];
const DEFAULT_PASSES: readonly ValidationPass[] = ['change', 'whole'];
const RBAC_PASSES: readonly ValidationPass[] = ['whole', 'whole', 'change'];
const WHOLE_FIRST: readonly ValidationPass[] = ['whole', 'change'];
const PASSES: ReadonlyMap<string, readonly ValidationPass[]> = new Map<string, readonly ValidationPass[]>([
  ['nodes', WHOLE_FIRST],
  ['namespaces', WHOLE_FIRST],
  ['replicasets.apps', WHOLE_FIRST],
  ['daemonsets.apps', WHOLE_FIRST],
  ['jobs.batch', WHOLE_FIRST],
  ['deployments.apps', ['change']],
  ['events', []],
  ['events.events.k8s.io', []],
  ['poddisruptionbudgets.policy', []],
  ['leases.coordination.k8s.io', ['plain change']],
  ['customresourcedefinitions.apiextensions.k8s.io', ['plain change']],
  ['validatingadmissionpolicies.admissionregistration.k8s.io', ['plain whole']],
  ['validatingadmissionpolicybindings.admissionregistration.k8s.io', ['plain whole']],
  ['roles.rbac.authorization.k8s.io', RBAC_PASSES],
  ['clusterroles.rbac.authorization.k8s.io', RBAC_PASSES],
  ['rolebindings.rbac.authorization.k8s.io', RBAC_PASSES],
  ['clusterrolebindings.rbac.authorization.k8s.io', RBAC_PASSES],
]);

function passesOf(resource: ObjectMetaResource, subresource: string | undefined): readonly ValidationPass[] {
  if (resource.origin === 'custom') return CUSTOM_PASSES;
  const passes = PASSES.get(groupResourceOf(resource)) ?? DEFAULT_PASSES;
  if (subresource === undefined) return passes;
  // Updates through a subresource never validate the whole object.
  const first = passes.find((pass) => pass === 'change' || pass === 'plain change');
  return first === undefined ? [] : [first];
}

/** Newer kinds accept finalizers without a domain. */
function validatesFinalizerNames(resource: ObjectMetaResource): boolean {
  if (resource.origin === 'custom') return false;
  const passes = PASSES.get(groupResourceOf(resource));
  return passes === undefined || passes.some((pass) => pass === 'change' || pass === 'whole');
}

type PassContext = Pick<Resource, 'scope'> &
  Pick<Resource['strategy'], 'validateName'> & { readonly shared: readonly Problem[] };

function wholeProblems(object: JsonObject, context: PassContext, withNames: boolean): readonly Problem[] {
  const generation = numberAt(object, 'metadata', 'generation');
  return [
    ...nameProblems(object, context),
    ...namespaceProblems(object, context),
    ...(generation < 0
      ? [invalid('metadata.generation', String(generation), 'must be greater than or equal to 0')]
      : []),
    ...context.shared,
    ...finalizerProblems(object),
    ...(withNames ? finalizerNameProblems(object) : []),
  ];
}

function nameProblems(object: JsonObject, context: PassContext): readonly Problem[] {
  const name = stringAt(object, 'metadata', 'name');
  const prefix = stringAt(object, 'metadata', 'generateName');
  const ofPrefix = prefix === '' ? [] : context.validateName(prefix, true);
  const ofName = name === '' ? [] : context.validateName(name, false);
  return [
    ...ofPrefix.map((text) => invalidText('metadata.generateName', prefix, text)),
    ...(name === '' ? [required('metadata.name', 'name or generateName is required')] : []),
    ...ofName.map((text) => invalidText('metadata.name', name, text)),
  ];
}

function namespaceProblems(object: JsonObject, { scope }: PassContext): readonly Problem[] {
  const path = 'metadata.namespace';
  const namespace = stringAt(object, 'metadata', 'namespace');
  if (scope === 'Cluster') return namespace === '' ? [] : [forbidden(path, 'not allowed on this type')];
  if (namespace === '') return [required(path)];
  return checkDnsLabel(namespace).map((text) => invalidText(path, namespace, text));
}

/** Labels, annotations and owner references, which follow each other in every pass. */
function sharedProblems(object: JsonObject): readonly Problem[] {
  const labels = stringMapAt(object, 'metadata', 'labels');
  return [
    ...labelProblems('metadata.labels', labels),
    ...annotationProblems(object),
    ...ownerProblems(object),
  ];
}

/** Validates labels, of objects and of templates. */
export function labelProblems(path: string, labels: { readonly [key: string]: string }): readonly Problem[] {
  const problems: Problem[] = [];
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? '';
    for (const text of checkQualifiedName(key)) problems.push(invalidText(path, key, text));
    for (const text of checkLabelValue(value)) problems.push(invalidText(path, value, text));
  }
  return problems;
}

const MAX_ANNOTATION_BYTES = 256 * 1024;

function annotationProblems(object: JsonObject): readonly Problem[] {
  return annotationMapProblems('metadata.annotations', stringMapAt(object, 'metadata', 'annotations'));
}

/** Validates annotations. Their keys may have capital letters in the domain. */
export function annotationMapProblems(
  path: string,
  annotations: { readonly [key: string]: string },
): readonly Problem[] {
  const entries = Object.entries(annotations);
  const total = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) =>
      checkQualifiedName(key.toLowerCase()).map((text) => invalidText(path, key, text)),
    ),
    ...(total > MAX_ANNOTATION_BYTES ? [tooLong(path, MAX_ANNOTATION_BYTES)] : []),
  ];
}

function finalizerProblems(object: JsonObject): readonly Problem[] {
  const path = 'metadata.finalizers';
  const finalizers = stringsAt(object, 'metadata', 'finalizers');
  const areExclusive = finalizers.includes('orphan') && finalizers.includes('foregroundDeletion');
  return [
    ...finalizers.flatMap((one) => checkQualifiedName(one).map((text) => invalidText(path, one, text))),
    ...(areExclusive
      ? [invalid(path, goStrings(finalizers), 'finalizer orphan and foregroundDeletion cannot be both set')]
      : []),
  ];
}

export const STANDARD_FINALIZERS: ReadonlySet<string> = new Set([
  'kubernetes',
  'orphan',
  'foregroundDeletion',
]);

function finalizerNameProblems(object: JsonObject): readonly Problem[] {
  return stringsAt(object, 'metadata', 'finalizers').flatMap((one, index) => {
    if (one.includes('/') || STANDARD_FINALIZERS.has(one)) return [];
    const text = 'name is neither a standard finalizer name nor is it fully qualified';
    return [invalidText(`metadata.finalizers[${index}]`, one, text)];
  });
}

/** Immutable metadata. Most immutable fields were already restored from the old object. */
function changeProblems(object: JsonObject, old: JsonObject, shared: readonly Problem[]): readonly Problem[] {
  return [...newFinalizerProblems(object, old), ...deletionProblems(object, old), ...shared];
}

function newFinalizerProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  if (optionalStringAt(old, 'metadata', 'deletionTimestamp') === undefined) return [];
  const before = new Set(stringsAt(old, 'metadata', 'finalizers'));
  const added = stringsAt(object, 'metadata', 'finalizers').filter((one) => !before.has(one));
  if (added.length === 0) return [];
  const found = goStrings([...new Set(added)].sort());
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`;
  return [forbidden('metadata.finalizers', why)];
}

function deletionProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  const [time, oldTime] = [object, old].map((one) => optionalStringAt(one, 'metadata', 'deletionTimestamp'));
  const [grace, oldGrace] = [object, old].map((one) =>
    optionalNumberAt(one, 'metadata', 'deletionGracePeriodSeconds'),
  );
  const problems: Problem[] = [];
  if (time !== undefined && oldTime === undefined) {
    problems.push(invalid('metadata.deletionTimestamp', goTime(time), 'field is immutable'));
  }
  if (grace !== undefined && grace !== oldGrace) {
    problems.push(invalid('metadata.deletionGracePeriodSeconds', String(grace), 'field is immutable'));
  }
  return problems;
}
