import { describe, expect, it } from 'vitest';
import type { ApiResource } from './api-resource.ts';
import { compareNaturally, formatObject, formatObjects, shownObject } from './object-text.ts';

const secrets: ApiResource = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  singular: 'secret',
  kind: 'Secret',
  scope: 'Namespaced',
  shortNames: [],
  categories: [],
  verbs: [],
};
const object = { metadata: { name: 's', managedFields: [{ manager: 'm' }] }, data: { b: '1', a: '2' } };

describe('formatObject', () => {
  it('adds apiVersion and kind, and removes managedFields', () => {
    expect(shownObject(secrets, object, { withManagedFields: false }).object).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      data: object.data,
    });
    expect(shownObject(secrets, object, { withManagedFields: true }).object.metadata).toEqual(
      object.metadata,
    );
    expect(shownObject(secrets, {}, { withManagedFields: false }).object).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
    });
  });

  it('prints sorted YAML and JSON, and the name', () => {
    const shown = shownObject(secrets, object, { withManagedFields: false });
    expect(formatObject(shown, 'yaml')).toBe(
      'apiVersion: v1\ndata:\n  a: "2"\n  b: "1"\nkind: Secret\nmetadata:\n  name: s\n',
    );
    expect(formatObject(shown, 'json')).toBe(
      '{\n    "apiVersion": "v1",\n    "data": {\n        "a": "2",\n        "b": "1"\n    },\n    "kind": "Secret",\n    "metadata": {\n        "name": "s"\n    }\n}\n',
    );
    expect(formatObject(shown, 'name')).toBe('secret/s\n');
  });

  it('includes the group in the name', () => {
    const shown = { resource: { ...secrets, kind: 'Thing', group: 'a.b' }, object };
    expect(formatObject(shown, 'name')).toBe('thing.a.b/s\n');
    expect(formatObject({ ...shown, object: { metadata: 3 } }, 'name')).toBe('thing.a.b/\n');
  });
});

it('formatObjects prints several as a List, or one line each', () => {
  const shown = shownObject(secrets, object, { withManagedFields: false });
  expect(formatObjects([], 'yaml')).toBe(
    'apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: ""\n',
  );
  expect(JSON.parse(formatObjects([shown], 'json'))).toEqual({
    apiVersion: 'v1',
    kind: 'List',
    metadata: { resourceVersion: '' },
    items: [shown.object],
  });
  expect(formatObjects([shown, shown], 'name')).toBe('secret/s\nsecret/s\n');
});

it.each([
  [['A', 'a', 'b']],
  [['disk-09', 'disk-9', 'disk-10']],
  [['a-b', 'a.b', 'a_', 'a1', 'ab']],
  [['k2', 'k2x', 'k10']],
  [['k12', 'k1x']],
  [['', 'a']],
  [['z', 'ä']],
])('compareNaturally sorts %j like kubectl sorts keys in YAML', (keys) => {
  expect(keys.toReversed().sort(compareNaturally)).toEqual(keys);
});
