import { describe, expect, it } from 'vitest';
import { formatFinding, formatPlace } from '../render/finding.ts';
import { givenObjects, inside, namespaceOf } from './given-objects.ts';

const read = (text: string, isNamed = true) => {
  const { objects, problems } = givenObjects([{ name: 'f.yaml', text, isNamed }]);
  return {
    lines: problems.map(formatFinding),
    objects: objects.map(({ place, object: _object, ...one }) => ({ ...one, at: formatPlace(place) })),
  };
};

describe('what is no object is named with its line', () => {
  it.each([
    ['a: [', 'f.yaml: line 1'],
    ['text', 'f.yaml:1: not a Kubernetes object: it must be a map with apiVersion and kind'],
    ['kind: Pod', 'f.yaml:1: apiVersion: Required value: every object has one'],
    ['apiVersion: v1', 'f.yaml:1: kind: Required value: every object has one'],
    [
      'apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {}',
      'f.yaml:3: metadata.name: Required value: which Pod is meant?',
    ],
    [
      'apiVersion: v1\nkind: Pod\nmetadata: {name: 3}',
      'f.yaml:3: metadata.name: Required value: which Pod is meant?',
    ],
    [
      'apiVersion: v1\nkind: List\nitems:\n- kind: Pod',
      'f.yaml:4: apiVersion: Required value: every object has one',
    ],
  ])('%j', (text, line) => {
    const { lines, objects } = read(text);
    expect(objects).toEqual([]);
    expect(lines).toEqual([expect.stringContaining(line)]);
  });

  it('but in a folder there may be other YAML', () => {
    expect(read('replicas: 3', false)).toEqual({ lines: [], objects: [] });
    expect(read('kind: Pod', false).lines).toHaveLength(1);
  });
});

it('objects of documents and lists are found where they stand', () => {
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
  const [, second] = givenObjects([{ name: 'f.yaml', text, isNamed: true }]).objects;
  expect(second?.object).toEqual({ ...one, metadata: { name: 'b' } });
  expect(formatPlace(inside(second?.place ?? { file: '' }, 'metadata.name'))).toBe('f.yaml#2:8');
});

describe('an object belongs', () => {
  const session = { namespace: 'usual' };
  const given = (namespace?: string) => ({
    ...{ object: {}, apiVersion: 'v1', kind: 'Thing', name: 'a', namespace, place: { file: 'f' } },
  });
  const things = (scope: 'Cluster' | 'Namespaced') => ({
    ...{ group: '', version: 'v1', plural: 'things', singular: 'thing', kind: 'Thing', scope },
    ...{ shortNames: [], categories: [], verbs: [] },
  });

  it('not where the command line contradicts it', () => {
    expect(namespaceOf(session, things('Namespaced'), given('a'), { namespace: 'b' })).toEqual({
      ...{ kind: 'elsewhere', message: 'it belongs to the namespace a, not to b' },
    });
  });

  it.each([
    ['Namespaced', undefined, {}, 'usual'],
    ['Namespaced', undefined, { namespace: 'asked' }, 'asked'],
    ['Namespaced', 'own', {}, 'own'],
    ['Namespaced', 'own', { namespace: 'own' }, 'own'],
    ['Cluster', undefined, { namespace: 'asked' }, ''],
  ] as const)('%s %s %j', (scope, own, options, namespace) => {
    expect(namespaceOf(session, things(scope), given(own), options)).toEqual({ kind: 'here', namespace });
  });
});
