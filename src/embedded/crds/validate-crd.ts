/**
 * Validation of CRDs on create and update, in the order of kube-apiserver.
 *
 * Its exceptions for CRDs that older servers have stored are left out: there are none here.
 */
import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { goStrings, invalid, invalidText } from '../resources/index.ts';
import { approvalProblems } from './approval.ts';
import { type Crd, type CrdSpec, isConditionTrue, toCrd } from './crd.ts';
import { nameProblems } from './validate-names.ts';
import { immutableProblems, specProblems } from './validate-spec.ts';

export function createProblems(object: JsonObject): readonly Problem[] {
  const crd = toCrd(object);
  const { spec } = crd;
  // A missing name is reported with the rest of the metadata.
  const { name = '' }: { readonly name?: string } = crd.metadata;
  const isNamed = name === `${spec.names.plural}.${spec.group}`;
  return [
    ...(isNamed ? [] : [invalidText('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]),
    ...specProblems(spec, undefined),
    ...commonProblems(crd, undefined),
  ];
}

export function updateProblems(object: JsonObject, oldObject: JsonObject): readonly Problem[] {
  const crd = toCrd(object);
  const old = toCrd(oldObject);
  return [
    ...specProblems(crd.spec, old.spec),
    ...immutableProblems(crd.spec, old.spec, { isEstablished: isConditionTrue(old, 'Established') }),
    ...commonProblems(crd, old),
  ];
}

/** Validates a status update; the spec is not validated. */
export function statusProblems(object: JsonObject): readonly Problem[] {
  return nameProblems(toCrd(object).status?.acceptedNames ?? {}, 'status.acceptedNames');
}

function commonProblems(crd: Crd, old: Crd | undefined): readonly Problem[] {
  const { spec, status } = crd;
  return [
    ...nameProblems(status?.acceptedNames ?? {}, 'status.acceptedNames'),
    ...storedVersionProblems(status?.storedVersions ?? [], spec),
    ...approvalProblems(crd, old),
    ...(spec.preserveUnknownFields && !old?.spec.preserveUnknownFields
      ? [invalid('spec.preserveUnknownFields', 'true', PRESERVE_ELSEWHERE)]
      : []),
  ];
}

const PRESERVE_ELSEWHERE =
  'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';

function storedVersionProblems(stored: readonly string[], { versions }: CrdSpec): readonly Problem[] {
  const path = 'status.storedVersions';
  if (stored.length === 0) {
    return [invalid(path, goStrings(undefined), 'must have at least one stored version')];
  }
  const names = versions.map(({ name }) => name);
  // Of versions with the same name, the first is the stored one.
  const isStored = (name: string, index: number) => stored.includes(name) && names.indexOf(name) === index;
  return [
    ...versions
      .filter(({ name, storage }, index) => storage && !isStored(name, index))
      .map(({ name }) => invalid(path, goStrings(stored), `must have the storage version ${name}`)),
    ...stored.flatMap((name, index) =>
      names.includes(name) ? [] : [invalidText(`${path}[${index}]`, name, missingVersion(name))],
    ),
  ];
}

function missingVersion(name: string): string {
  const rest = `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
  return `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ${rest}`;
}
