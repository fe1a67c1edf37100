import { describe, expect, it } from 'vitest';
import { formatFinding, formatLocation } from '../render/finding.ts';
import { inside, namespaceOf, parseManifestObjects } from './manifest-objects.ts';

const read = (text: string, isNamed = true) => {
  const { objects, problems } = parseManifestObjects([{ name: 'f.yaml', text, isNamed }]);
  return {
    lines: problems.map(formatFinding),
    objects: objects.map(({ location, object: _object, ...one }) => ({
      ...one,
      at: formatLocation(location),
    })),
  };
};

describe('documents that are not objects', () => {
  it.each([
    ['a: [', 'f.yaml: line 1'],
    ['text', 'f.yaml:1: not a Kubernetes object: it must be a map with apiVersion and kind'],
    ['kind: Pod', 'f.yaml:1: apiVersion: Required value'],
    ['apiVersion: v1', 'f.yaml:1: kind: Required value'],
    ['apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {}', 'f.yaml:3: metadata.name: Required value'],
    ['apiVersion: v1\nkind: Pod\nmetadata: {name: 3}', 'f.yaml:3: metadata.name: Required value'],
    ['apiVersion: v1\nkind: List\nitems:\n- kind: Pod', 'f.yaml:4: apiVersion: Required value'],
  ])('are reported with their line: %j', (text, line) => {
    const { lines, objects } = read(text);
    expect(objects).toEqual([]);
    expect(lines).toEqual([expect.stringContaining(line)]);
  });

  it('are ignored in a directory', () => {
    expect(read('replicas: 3', false)).toEqual({ lines: [], objects: [] });
    expect(read('kind: Pod', false).lines).toHaveLength(1);
  });
});

it('objects of documents and lists have their locations', () => {
  const text = `apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: here}
---
apiVersion: v1
kind: ConfigMapList
items:
- metadata: {name: b}
- apiVersion: v1
  kind: Secret
  metadata: {name: c}
`;
  const one = { apiVersion: 'v1', kind: 'ConfigMap' };
  expect(read(text)).toEqual({
    lines: [],
    objects: [
      { ...one, name: 'a', namespace: 'here', at: 'f.yaml#1:1' },
      { ...one, name: 'b', namespace: undefined, at: 'f.yaml#2:8' },
      { ...one, kind: 'Secret', name: 'c', namespace: undefined, at: 'f.yaml#2:9' },
    ],
  });
  const [, second] = parseManifestObjects([{ name: 'f.yaml', text, isNamed: true }]).objects;
  expect(second?.object).toEqual({ ...one, metadata: { name: 'b' } });
  expect(formatLocation(inside(second?.location ?? { file: '' }, 'metadata.name'))).toBe('f.yaml#2:8');
});

describe('the namespace of an object', () => {
  const session = { namespace: 'usual' };
  const given = (namespace?: string) => ({
    object: {},
    apiVersion: 'v1',
    kind: 'Thing',
    name: 'a',
    namespace,
    location: { file: 'f' },
  });
  const things = (scope: 'Cluster' | 'Namespaced') => ({
    group: '',
    version: 'v1',
    plural: 'things',
    singular: 'thing',
    kind: 'Thing',
    scope,
    shortNames: [],
    categories: [],
    verbs: [],
  });

  it('must not contradict the command line', () => {
    expect(namespaceOf(session, things('Namespaced'), given('a'), { namespace: 'b' })).toEqual({
      kind: 'elsewhere',
      message: 'its namespace a does not match --namespace b',
    });
  });

  it.each([
    ['Namespaced', undefined, {}, 'usual'],
    ['Namespaced', undefined, { namespace: 'asked' }, 'asked'],
    ['Namespaced', 'own', {}, 'own'],
    ['Namespaced', 'own', { namespace: 'own' }, 'own'],
    ['Cluster', undefined, { namespace: 'asked' }, ''],
  ] as const)('is right for scope %s, namespace %s and options %j', (scope, own, options, namespace) => {
    expect(namespaceOf(session, things(scope), given(own), options)).toEqual({ kind: 'here', namespace });
  });
});
