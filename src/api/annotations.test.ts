import { describe, expect, expectTypeOf, test } from 'vitest';
import { checkQualifiedName } from '../kubernetes/meta/names.ts';
import {
  annotations,
  type KeyEntry,
  keyRegister,
  labels,
  nodeRoleLabel,
  poolLabel,
  taints,
} from './annotations.ts';
import { operatorManagedLabels } from './groups.ts';

const entriesOf = (entries: { readonly [name: string]: KeyEntry }) => Object.values(entries);
const groups = [
  ['annotations', entriesOf(keyRegister.annotations)],
  ['labels', entriesOf(keyRegister.labels)],
  ['label prefixes', entriesOf(keyRegister.labelPrefixes)],
  ['taints', entriesOf(keyRegister.taints)],
] as const;

describe.each(groups)('%s', (group, entries) => {
  test.each(entries.map((entry) => [entry.key] as const))('%s is a valid key', (key) => {
    const whole = group === 'label prefixes' ? `${key}/anything` : key;
    expect(checkQualifiedName(whole)).toEqual([]);
  });

  test.each(entries.map((entry) => [entry.key, entry] as const))(
    '%s states its kinds, writer, readers and value',
    (_, entry) => {
      expect(entry.on.length).toBeGreaterThan(0);
      expect(entry.on).toEqual([...new Set(entry.on)]);
      expect(entry.writer).not.toBe('');
      expect(entry.readers.length).toBeGreaterThan(0);
      expect(entry.readers).toEqual([...new Set(entry.readers)]);
      expect(entry.value).toMatch(/^\S.{4,}\S$/);
    },
  );

  test('have unique keys', () => {
    const keys = entries.map(({ key }) => key);
    expect(keys).toEqual([...new Set(keys)]);
  });
});

test('constants have the literal key as their type', () => {
  expect(annotations.currentConfig).toBe('machineconfiguration.openshift.io/currentConfig');
  expectTypeOf(annotations.currentConfig).toEqualTypeOf<'machineconfiguration.openshift.io/currentConfig'>();
  expectTypeOf(labels.role).toEqualTypeOf<'machineconfiguration.openshift.io/role'>();
  expectTypeOf(annotations.drain).toEqualTypeOf<'millwright.dev/drain'>();
});

test('every entry has a constant', () => {
  expect(Object.values(annotations)).toEqual(entriesOf(keyRegister.annotations).map(({ key }) => key));
  expect(Object.values(labels)).toEqual(entriesOf(keyRegister.labels).map(({ key }) => key));
  expect(Object.keys(taints)).toEqual(Object.keys(keyRegister.taints));
});

test('labels of a family are made of prefix and name', () => {
  expect(nodeRoleLabel('infra')).toBe('node-role.kubernetes.io/infra');
  expect(nodeRoleLabel('master')).toBe(labels.nodeRoleMaster);
  expect(poolLabel('worker')).toBe('pools.operator.machineconfiguration.openshift.io/worker');
});

test('taints carry their effect', () => {
  expect(taints).toEqual({ updateInProgress: { key: 'UpdateInProgress', effect: 'PreferNoSchedule' } });
});

test('the label of our CRDs is registered', () => {
  expect(Object.keys(operatorManagedLabels)).toEqual([labels.operatorManaged]);
});

/** Compatibility fixes these keys: they are repeated here on purpose. */
const mco = (...names: readonly string[]) => names.map((name) => `machineconfiguration.openshift.io/${name}`);

test('every annotation in use is registered', () => {
  const known = mco(
    ...['currentConfig', 'desiredConfig', 'state', 'reason', 'currentImage', 'desiredImage', 'desiredDrain'],
    ...['lastAppliedDrain', 'post-config-action', 'ostree-finalize-staged-failure', 'firstPivotConfig'],
    ...[
      'customPoolLabelsApplied',
      'lastSyncedControllerConfigResourceVersion',
      'lastObservedServerCAAnnotation',
    ],
    ...['generated-by-controller-version', 'release-image-version', 'os-image-url-overridden'],
    ...[
      'original-osimageurl',
      'ocl-osimageurl',
      'generated-by-version',
      'mc-name-suffix',
      'service-ca-rotate',
    ],
    ...['current-machine-os-build', 'job-uid', 'pre-built-image', 'rebuild', 'rendered-image-push-secret'],
  );
  const ours = [
    ...['drain', 'render-problem', 'external', 'simulated-termination-seconds', 'simulated-run-seconds'],
    ...[
      'simulated-exit-code',
      'fetch-image',
      'fetched-image',
      'recent-updates',
      'retry',
      'retried',
      'pinned-image-sets',
      'pinned-image-sets-problem',
    ],
    ...['disk-configs', 'last-targeted', 'prune-rendered-configs'],
    ...['credentials', 'image-inputs', 'image-size', 'rebuilds', 'skip-preflight'],
  ].map((name) => `millwright.dev/${name}`);
  expect(Object.values(annotations).sort()).toEqual([...known, ...ours].sort());
});

test('every label in use is registered', () => {
  const others = [
    ...['master', 'control-plane', 'worker', 'arbiter'].map((role) => `node-role.kubernetes.io/${role}`),
    ...['kubernetes.io/os', 'topology.kubernetes.io/zone', 'openshift.io/operator-managed'],
    'operator.machineconfiguration.openshift.io/required-for-upgrade',
    'app.kubernetes.io/part-of',
  ];
  const known = mco(
    ...['role', 'mco-built-in', 'ephemeral-build-object', 'on-cluster-layering', 'pre-built-image'],
    ...['machine-os-build', 'machine-os-config', 'rendered-machine-config', 'target-machine-config-pool'],
  );
  expect(Object.values(labels).sort()).toEqual([...known, ...others].sort());
});
