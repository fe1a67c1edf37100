import { describe, expect, test } from 'vitest';
import { NAMESPACE } from '../../api/index.ts';
import { formatFinding } from './finding.ts';
import { readManifests } from './manifests.ts';

const apiVersion = 'machineconfiguration.openshift.io/v1';

function read(...texts: readonly string[]) {
  const files = texts.map((text, index) => ({ name: `${'abc'[index]}.yaml`, text, isNamed: true }));
  const { manifests, problems, foreignKinds, isIncomplete } = readManifests(files, NAMESPACE);
  return {
    objects: manifests.map(({ kind, name, isValid }) => `${kind}/${name}${isValid ? '' : ' (invalid)'}`),
    problems: problems.map(formatFinding),
    foreignKinds,
    isIncomplete,
  };
}

const machineConfig = (metadata: string, spec = '{}') =>
  `{apiVersion: ${apiVersion}, kind: MachineConfig, metadata: ${metadata}, spec: ${spec}}\n`;

describe('readManifests rejects an object', () => {
  test.each([
    ['that is a list', '- a', 'a.yaml:1: not a Kubernetes object: it must be a map with apiVersion and kind'],
    [
      'that is a text',
      'hello',
      'a.yaml:1: not a Kubernetes object: it must be a map with apiVersion and kind',
    ],
    [
      'without an apiVersion',
      'kind: MachineConfig',
      'a.yaml:1: apiVersion: Required value: every Kubernetes object has an apiVersion and a kind',
    ],
    [
      'whose kind is no text',
      'apiVersion: v1\nkind: on',
      'a.yaml:2: kind: Required value: every Kubernetes object has an apiVersion and a kind',
    ],
    [
      'of another version of our API',
      'apiVersion: machineconfiguration.openshift.io/v1alpha1\nkind: MachineOSConfig\nmetadata: {name: a}',
      'a.yaml:1: apiVersion: the apiVersion of MachineOSConfig is machineconfiguration.openshift.io/v1',
    ],
    [
      'of a misspelt kind',
      `apiVersion: ${apiVersion}\nkind: machineConfig\nmetadata: {name: a}`,
      'a.yaml:2: kind: unknown kind machineConfig: did you mean MachineConfig?',
    ],
    [
      'without metadata',
      machineConfig('{}').replace('metadata: {}, ', ''),
      'a.yaml:1: MachineConfig: metadata.name: Required value',
    ],
    ['without a name', machineConfig('{}'), 'a.yaml:1: MachineConfig: metadata.name: Required value'],
    [
      'with a number for a name',
      machineConfig('{name: 99}'),
      'a.yaml:1: MachineConfig: metadata.name: Invalid value: 99: must be a string: put it in quotes',
    ],
    [
      'with a name that is too long',
      machineConfig(`{name: ${'a'.repeat(254)}}`),
      `a.yaml:1: MachineConfig/${'a'.repeat(254)}: metadata.name: Too long: may not be more than 253 bytes`,
    ],
    [
      'with a label that is no text',
      machineConfig('{name: a, labels: {b: 1}}'),
      'a.yaml:1: MachineConfig/a: metadata.labels.b: Invalid value: 1: must be a string: put it in quotes',
    ],
    [
      'with a label that holds more than a text',
      machineConfig('{name: a, annotations: {b: {c: d}}}'),
      'a.yaml:1: MachineConfig/a: metadata.annotations.b: Invalid value: a list or map: must be a string: put it in quotes',
    ],
    [
      'with labels that are no map',
      machineConfig('{name: a, labels: [b]}'),
      'a.yaml:1: MachineConfig/a: metadata.labels: must be a map from texts to texts',
    ],
    [
      'with an unknown field',
      machineConfig('{name: a}', '{kernelargs: []}'),
      'a.yaml:1: MachineConfig/a: spec.kernelargs: unknown field',
    ],
    [
      'with a misspelt field',
      machineConfig('{name: a}', '{osImageUrl: x}'),
      'a.yaml:1: MachineConfig/a: spec.osImageUrl: unknown field (did you mean osImageURL?)',
    ],
    [
      'with a misspelt field in a list',
      `{apiVersion: ${apiVersion}, kind: PinnedImageSet, metadata: {name: a}, spec: {pinnedImages: [{nam: x, name: 'r.example.com/a/b@sha256:${'0'.repeat(64)}'}]}}`,
      'a.yaml:1: PinnedImageSet/a: spec.pinnedImages[0].nam: unknown field (did you mean name?)',
    ],
    [
      'with a map where a ConfigMap has a text',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: machine-config-osimageurl}\ndata: {osImageURL: {a: b}}',
      'a.yaml:4: ConfigMap/machine-config-osimageurl: data: must be a map of strings to strings',
    ],
  ])('%s', (_, text, problem) => {
    expect(read(text).problems).toEqual([problem]);
  });

  test('for a label with invalid syntax', () => {
    const { problems } = read(machineConfig('{name: a, labels: {"a/b/c": "", d: "-"}}'));
    expect(problems).toEqual([
      expect.stringMatching(/^a\.yaml:1: MachineConfig\/a: metadata\.labels: Invalid value: "a\/b\/c": /),
      expect.stringMatching(/^a\.yaml:1: MachineConfig\/a: metadata\.labels: Invalid value: "-": /),
    ]);
  });

  test('if it is a duplicate, also in another file or a List', () => {
    const one = machineConfig('{name: a}');
    expect(
      read(`# first\n${one}`, `${one}---\n{apiVersion: v1, kind: List, items: [\n${one.trim()}]}`),
    ).toEqual({
      objects: ['MachineConfig/a'],
      problems: [
        'b.yaml#1:1: MachineConfig/a: duplicate: also defined in a.yaml:2',
        'b.yaml#2:4: MachineConfig/a: duplicate: also defined in a.yaml:2',
      ],
      foreignKinds: [],
      isIncomplete: false,
    });
  });

  test('for all reasons at once, and stays marked as invalid', () => {
    const { objects, problems } = read(machineConfig('{name: a, label: {}}', '{fip: true, fips: 3}'));
    expect(objects).toEqual(['MachineConfig/a (invalid)']);
    expect(problems).toHaveLength(3);
  });

  test('if its file is not YAML, which makes the input incomplete', () => {
    expect(read('a: [', machineConfig('{name: a}'))).toEqual({
      objects: ['MachineConfig/a'],
      problems: [expect.stringMatching(/^a\.yaml: line 1, column \d+: /)],
      foreignKinds: [],
      isIncomplete: true,
    });
  });
});

describe('readManifests', () => {
  test('reads documents, Lists and typed lists', () => {
    const text = `${machineConfig('{name: a}')}---
apiVersion: v1
kind: List
items:
- ${machineConfig('{name: b}')}- apiVersion: v1
  kind: List
  items:
  - ${machineConfig('{name: c}')}---
apiVersion: ${apiVersion}
kind: MachineConfigList
items:
- metadata: {name: d}
`;
    const names = ['a', 'b', 'c', 'd'].map((name) => `MachineConfig/${name}`);
    expect(read(text)).toEqual({ objects: names, problems: [], foreignKinds: [], isIncomplete: false });
  });

  test('only counts objects of other kinds', () => {
    const text = [
      '{apiVersion: apps/v1, kind: Deployment}',
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}',
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: machine-config-osimageurl, namespace: default}}',
      '{apiVersion: image.openshift.io/v1, kind: Image, metadata: {name: a}}',
      '{apiVersion: config.openshift.io/v1, kind: Infrastructure, metadata: {name: a}}',
    ].join('\n---\n');
    expect(read(text)).toMatchObject({
      objects: [],
      problems: [],
      foreignKinds: ['Deployment', 'ConfigMap', 'ConfigMap', 'Image', 'Infrastructure'],
    });
  });

  test('accepts metadata added by a cluster', () => {
    const text = `apiVersion: ${apiVersion}
kind: MachineConfigPool
metadata:
  name: worker
  uid: a
  creationTimestamp: "2026-01-01T00:00:00Z"
  managedFields: [{manager: x}]
spec:
  paused: null
status:
  machineCount: 3
  fieldOfANewerVersion: 1
`;
    expect(read(text)).toMatchObject({ objects: ['MachineConfigPool/worker'], problems: [] });
  });

  test('rejects a non-object in a named file and ignores it in a directory', () => {
    const text = 'replicas: 3\n---\nmetadata: {name: a}\n---\n- a list\n';
    const named = readManifests([{ name: 'values.yaml', text, isNamed: true }], NAMESPACE);
    expect(named.problems).toHaveLength(3);
    const found = readManifests([{ name: 'values.yaml', text, isNamed: false }], NAMESPACE);
    // What has a mark of an object is meant to be one.
    expect(found.problems.map(formatFinding)).toEqual([
      'values.yaml#2:3: apiVersion: Required value: every Kubernetes object has an apiVersion and a kind',
    ]);
    expect(found.nonObjectFiles).toEqual(['values.yaml']);
  });

  test('ignores the namespace of cluster-scoped objects when comparing', () => {
    const text = `${machineConfig('{name: a, namespace: x}')}---\n${machineConfig('{name: a, namespace: y}')}`;
    expect(read(text).problems).toEqual([
      'a.yaml#1:1: MachineConfig/a: metadata.namespace: Forbidden: not allowed on this type: a MachineConfig is cluster-scoped',
      'a.yaml#2:3: MachineConfig/a: metadata.namespace: Forbidden: not allowed on this type: a MachineConfig is cluster-scoped',
      'a.yaml#2:3: MachineConfig/a: duplicate: also defined in a.yaml#1:1',
    ]);
  });

  test.each([
    ['machines', 1],
    [NAMESPACE, 0],
  ])('takes the ConfigMap with OS images from the given namespace, not from others (%s)', (place, count) => {
    const text = `{apiVersion: v1, kind: ConfigMap, metadata: {name: machine-config-osimageurl, namespace: ${place}}}`;
    const { manifests } = readManifests([{ name: 'a', isNamed: true, text }], 'machines');
    expect(manifests).toHaveLength(count);
  });

  test('applies defaults like a server', () => {
    const text = machineConfig('{name: a}', '{fips: null, extensions: []}');
    const { manifests } = readManifests([{ name: 'a', isNamed: true, text }], NAMESPACE);
    expect(manifests[0]?.object.spec).toEqual({ extensions: [] });
  });

  test('accepts keys such as __proto__', () => {
    expect(
      read(machineConfig('{name: a, __proto__: {}}', '{constructor: 1, __proto__: {fips: on}}')).problems,
    ).toEqual([
      'a.yaml:1: MachineConfig/a: metadata.__proto__: unknown field',
      'a.yaml:1: MachineConfig/a: spec.__proto__: unknown field',
      'a.yaml:1: MachineConfig/a: spec.constructor: unknown field',
    ]);
  });
});

test('a formatted finding is one line without control characters', () => {
  const finding = { subject: 'MachineConfig/\u001b[31m', path: 'spec', message: 'one\n  two\u0007' };
  expect(formatFinding(finding)).toBe('MachineConfig/\\x1b[31m: spec: one two\\x07');
});
