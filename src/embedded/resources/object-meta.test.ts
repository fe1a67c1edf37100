/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { causeText } from '../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../base/json.ts';
import { createBuiltinResources } from './builtin-resources.ts';
import { type ObjectMetaResource, objectMetaProblems, objectMetaUpdateProblems } from './object-meta.ts';
import { groupResourceOf } from './resource.ts';

function resource(key: string): ObjectMetaResource {
  const found = createBuiltinResources().find((one) => groupResourceOf(one) === key);
  if (found === undefined) throw new Error(`there is no resource ${key}`);
  return found;
}

const brief = (causes: readonly string[]) => causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''));
const configMaps = resource('configmaps');
const created = (metadata: JsonObject, resource = configMaps) =>
  brief(objectMetaProblems({ metadata: { namespace: 'space', ...metadata } }, resource).map(causeText));

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const PART =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const NEITHER = 'name is neither a standard finalizer name nor is it fully qualified';
const OWNER = { apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u' };
const SHOWN =
  'v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:"n", UID:"u", Controller:(*bool)(nil), BlockOwnerDeletion:(*bool)(nil)}';

describe('objectMetaProblems', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['no name', {}, ['metadata.name FieldValueRequired: Required value: name or generateName is required']],
    [
      'an invalid generateName',
      { generateName: 'A_', name: 'A_x' },
      [
        `metadata.generateName FieldValueInvalid: Invalid value: "A_": ${SUBDOMAIN}`,
        `metadata.name FieldValueInvalid: Invalid value: "A_x": ${SUBDOMAIN}`,
      ],
    ],
    ['a generateName with a trailing dash', { generateName: 'a-', name: 'a-x' }, []],
    [
      'labels',
      { name: 'a', labels: { 'x/': '', k: 'v'.repeat(64), '/x': '' } },
      [
        'metadata.labels FieldValueInvalid: Invalid value: "x/": name part must be non-empty',
        `metadata.labels FieldValueInvalid: Invalid value: "x/": name part ${PART}`,
        `metadata.labels FieldValueInvalid: Invalid value: "${'v'.repeat(64)}": must be no more than 63 characters`,
        'metadata.labels FieldValueInvalid: Invalid value: "/x": prefix part must be non-empty',
      ],
    ],
    [
      'annotations',
      { name: 'a', annotations: { 'Example.COM/Foo': '', 'bad key': '' } },
      [`metadata.annotations FieldValueInvalid: Invalid value: "bad key": name part ${PART}`],
    ],
    [
      'annotations of 256 KiB plus one byte',
      { name: 'a', annotations: { a: 'x'.repeat(256 * 1024) } },
      ['metadata.annotations FieldValueTooLong: Too long: may not be more than 262144 bytes'],
    ],
    ['annotations of 256 KiB', { name: 'a', annotations: { a: 'x'.repeat(256 * 1024 - 1) } }, []],
    [
      'finalizers',
      { name: 'a', finalizers: ['foo', 'a b', 'orphan', 'foregroundDeletion', 'x.y/z'] },
      [
        `metadata.finalizers FieldValueInvalid: Invalid value: "a b": name part ${PART}`,
        'metadata.finalizers FieldValueInvalid: Invalid value: []string{"foo", "a b", "orphan", "foregroundDeletion", "x.y/z"}: finalizer orphan and foregroundDeletion cannot be both set',
        `metadata.finalizers[0] FieldValueInvalid: Invalid value: "foo": ${NEITHER}`,
        `metadata.finalizers[1] FieldValueInvalid: Invalid value: "a b": ${NEITHER}`,
      ],
    ],
    [
      'owners',
      { name: 'a', ownerReferences: [{}, { ...OWNER, apiVersion: 'a/b/c' }, { ...OWNER, kind: 'Event' }] },
      [
        'metadata.ownerReferences.apiVersion FieldValueInvalid: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind FieldValueInvalid: Invalid value: "": kind must not be empty',
        'metadata.ownerReferences.name FieldValueInvalid: Invalid value: "": name must not be empty',
        'metadata.ownerReferences.uid FieldValueInvalid: Invalid value: "": uid must not be empty',
        'metadata.ownerReferences.apiVersion FieldValueInvalid: Invalid value: "a/b/c": version must not be empty',
        `metadata.ownerReferences FieldValueInvalid: Invalid value: ${SHOWN}: /v1, Kind=Event is disallowed from being an owner`,
      ],
    ],
    [
      'a negative generation',
      { name: 'a', generation: -1 },
      ['metadata.generation FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0'],
    ],
    ['no namespace', { name: 'a', namespace: '' }, ['metadata.namespace FieldValueRequired: Required value']],
  ])('reports problems of metadata: %s', (_, metadata, causes) => {
    expect(created(metadata)).toEqual(causes);
  });

  it('forbids a namespace for cluster-scoped kinds', () => {
    expect(created({ name: 'a' }, resource('nodes'))).toEqual([
      'metadata.namespace FieldValueForbidden: Forbidden: not allowed on this type',
    ]);
  });

  it('accepts any finalizer name for newer kinds', () => {
    expect(created({ name: 'a', finalizers: ['foo'] }, resource('leases.coordination.k8s.io'))).toEqual([]);
    expect(created({ name: 'a', finalizers: ['foo'] }, { ...configMaps, origin: 'custom' })).toEqual([]);
  });

  it('allows one controller only', () => {
    const controllers = ['a', 'b'].map((name) => ({ ...OWNER, name, controller: true }));
    const [cause = '', ...rest] = created({ name: 'a', ownerReferences: controllers });
    expect(rest).toEqual([]);
    expect(cause).toMatch(
      /^metadata\.ownerReferences FieldValueInvalid: Invalid value: \[\]v1\.OwnerReference\{/,
    );
    expect(cause.slice(cause.lastIndexOf('}: ') + 3)).toBe(
      'Only one reference can have Controller set to true. Found "true" in references for K/a and K/b',
    );
  });
});

describe('objectMetaUpdateProblems', () => {
  const old: JsonObject = { metadata: { name: 'a' } };
  const fields = (metadata: JsonObject, key: string, subresource?: string): string => {
    const target = resource(key);
    const location = target.scope === 'Namespaced' ? { namespace: 'space' } : {};
    const object = { metadata: { name: 'a', ...location, ...metadata } };
    const problems = objectMetaUpdateProblems(object, old, target, subresource);
    return problems
      .map(({ path }) => path.replace('metadata.', '').charAt(0) + (path.includes('[') ? 'n' : ''))
      .join(' ');
  };

  // One letter per cause: l for labels, f for finalizers, fn for the name of one, g for generateName.
  it.each([
    ['configmaps', 'l l l l', 'f fn f fn', 'g'],
    ['pods', 'l l l l', 'f fn f fn', 'g'],
    ['nodes', 'l l l l', 'f f fn fn', 'g'],
    ['namespaces', 'l l l l', 'f f fn fn', 'g'],
    ['jobs.batch', 'l l l l', 'f f fn fn', 'g'],
    ['deployments.apps', 'l l l', 'f fn', ''],
    ['events', 'l l', 'f', ''],
    ['poddisruptionbudgets.policy', 'l l', 'f', ''],
    ['leases.coordination.k8s.io', 'l l l', 'f', ''],
    ['roles.rbac.authorization.k8s.io', 'l l l l l', 'f f fn f fn fn', ''],
    ['validatingadmissionpolicies.admissionregistration.k8s.io', 'l l l', 'f f', 'g'],
    ['customresourcedefinitions.apiextensions.k8s.io', 'l l l', 'f', ''],
  ])('reports each problem as often as kube-apiserver: %s', (key, labels, finalizers, generateName) => {
    expect(fields({ labels: { 'a b': 'c' } }, key)).toBe(labels);
    expect(fields({ finalizers: ['a b'] }, key)).toBe(finalizers);
    expect(fields({ generateName: 'F_' }, key)).toBe(generateName);
  });

  it('reports problems less often through a subresource', () => {
    expect(fields({ labels: { 'a b': 'c' } }, 'pods', 'status')).toBe('l l l');
    expect(fields({ labels: { 'a b': 'c' } }, 'poddisruptionbudgets.policy', 'status')).toBe('l l');
  });

  const updateCauses = (metadata: JsonObject, before: JsonObject) =>
    objectMetaUpdateProblems(
      { metadata: { name: 'a', namespace: 'space', ...metadata } },
      { metadata: before },
      resource('events'),
    ).map(causeText);

  it('rejects changes of the deletion timestamp and grace period', () => {
    const deletionTimestamp = '2020-01-01T00:00:00Z';
    expect(updateCauses({ deletionTimestamp, deletionGracePeriodSeconds: 5 }, {})).toEqual([
      'metadata.deletionTimestamp FieldValueInvalid: Invalid value: 2020-01-01 00:00:00 +0000 UTC: field is immutable',
      'metadata.deletionGracePeriodSeconds FieldValueInvalid: Invalid value: 5: field is immutable',
    ]);
    expect(updateCauses({ deletionTimestamp }, { deletionTimestamp })).toEqual([]);
  });

  it('rejects new finalizers of an object that is being deleted', () => {
    const before = { deletionTimestamp: '2020-01-01T00:00:00Z', finalizers: ['x/a'] };
    expect(updateCauses({ finalizers: ['x/c', 'x/b', 'x/a'] }, before)).toEqual([
      'metadata.finalizers FieldValueForbidden: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/b", "x/c"}',
    ]);
    expect(updateCauses({ finalizers: [] }, before)).toEqual([]);
  });
});
