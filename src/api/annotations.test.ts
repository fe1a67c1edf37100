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

describe.each(groups)('the %s of the register', (group, entries) => {
  test.each(entries.map((entry) => [entry.key] as const))('%s is well formed', (key) => {
    const whole = group === 'label prefixes' ? `${key}/anything` : key;
    expect(checkQualifiedName(whole)).toEqual([]);
  });

  test.each(entries.map((entry) => [entry.key, entry] as const))(
    '%s says where it stands, who writes and reads it, and what it holds',
    (_, entry) => {
      expect(entry.on.length).toBeGreaterThan(0);
      expect(entry.on).toEqual([...new Set(entry.on)]);
      expect(entry.writer).not.toBe('');
      expect(entry.readers.length).toBeGreaterThan(0);
      expect(entry.readers).toEqual([...new Set(entry.readers)]);
      expect(entry.value).toMatch(/^\S.{4,}\S$/);
    },
  );

  test('are all different', () => {
    const keys = entries.map(({ key }) => key);
    expect(keys).toEqual([...new Set(keys)]);
  });

  test('are read by nobody exactly where nobody writes them', () => {
    for (const { key, writer, readers } of entries) {
      expect([key, readers.includes('nobody')]).toEqual([key, writer === 'nobody']);
    }
  });
});

test('a constant is the literal key', () => {
  expect(annotations.currentConfig).toBe('machineconfiguration.openshift.io/currentConfig');
  expectTypeOf(annotations.currentConfig).toEqualTypeOf<'machineconfiguration.openshift.io/currentConfig'>();
  expectTypeOf(labels.role).toEqualTypeOf<'machineconfiguration.openshift.io/role'>();
  expectTypeOf(annotations.drain).toEqualTypeOf<'millwright.dev/drain'>();
});

test('there is a constant for every entry', () => {
  expect(Object.values(annotations)).toEqual(entriesOf(keyRegister.annotations).map(({ key }) => key));
  expect(Object.values(labels)).toEqual(entriesOf(keyRegister.labels).map(({ key }) => key));
  expect(Object.keys(taints)).toEqual(Object.keys(keyRegister.taints));
});

test('families of labels are put together with their prefix', () => {
  expect(nodeRoleLabel('infra')).toBe('node-role.kubernetes.io/infra');
  expect(nodeRoleLabel('master')).toBe(labels.nodeRoleMaster);
  expect(poolLabel('worker')).toBe('pools.operator.machineconfiguration.openshift.io/worker');
});

test('taints carry their effect', () => {
  expect(taints).toEqual({
    updateInProgress: { key: 'UpdateInProgress', effect: 'PreferNoSchedule' },
    master: { key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' },
    controlPlane: { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
    arbiter: { key: 'node-role.kubernetes.io/arbiter', effect: 'NoSchedule' },
  });
});

test('the label of our CRDs is the one in the register', () => {
  expect(Object.keys(operatorManagedLabels)).toEqual([labels.operatorManaged]);
});

/** The keys that users, runbooks and other tools know, spelled out once more. */
const mco = (...names: readonly string[]) => names.map((name) => `machineconfiguration.openshift.io/${name}`);

test('no known annotation is missing', () => {
  const known = mco(
    ...['currentConfig', 'desiredConfig', 'state', 'reason', 'currentImage', 'desiredImage', 'desiredDrain'],
    ...['lastAppliedDrain', 'post-config-action', 'ostree-finalize-staged-failure', 'firstPivotConfig'],
    ...['customPoolLabelsApplied', 'controlPlaneTopology', 'lastSyncedControllerConfigResourceVersion'],
    ...['lastObservedServerCAAnnotation', 'ssh', 'generated-by-controller-version', 'release-image-version'],
    ...['os-image-url-overridden', 'pre-built-image', 'original-osimageurl', 'ocl-osimageurl'],
    ...['generated-by-version', 'service-ca-rotate', 'release-payload-image', 'mc-name-suffix'],
    ...['boot-image-updates-opted-in-at', 'stub-ignition-upgraded-to', 'stub-ignition-upgraded-at'],
    ...['newestImageEquivalentConfig', 'current-machine-os-build', 'rebuild', 'rendered-image-push-secret'],
    ...['job-uid', 'machine-os-config', 'machine-os-build', 'has-etc-pki-entitlement', 'has-etc-yum-repos-d'],
    'has-etc-pki-rpm-gpg',
  );
  const ours = [
    ...['drain', 'render-problem', 'external', 'simulated-termination-seconds', 'simulated-run-seconds'],
    'simulated-exit-code',
  ].map((name) => `millwright.dev/${name}`);
  expect(Object.values(annotations).sort()).toEqual([...known, ...ours].sort());
});

test('no known label is missing', () => {
  const known = mco(
    ...[
      'role',
      'mco-built-in',
      'layering-enabled',
      'rebuildImage',
      'managed-ca-bundle-derived-from-configmap',
    ],
    ...['osstream', 'target-machine-config-pool', 'rendered-machine-config', 'machine-os-config'],
    ...['machine-os-build', 'on-cluster-layering', 'ephemeral-build-object', 'canonicalizedSecret'],
    ...['originalSecretName', 'pre-built-image'],
  );
  const others = [
    ...['master', 'control-plane', 'worker', 'arbiter'].map((role) => `node-role.kubernetes.io/${role}`),
    ...['kubernetes.io/os', 'topology.kubernetes.io/zone', 'node.openshift.io/os_id'],
    ...['openshift.io/operator-managed', 'machine.openshift.io/os-id'],
    'operator.machineconfiguration.openshift.io/required-for-upgrade',
  ];
  expect(Object.values(labels).sort()).toEqual([...known, ...others].sort());
});
