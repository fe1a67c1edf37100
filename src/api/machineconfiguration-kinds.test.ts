/**
 * The kinds of the machine configuration group as `kubectl` shows them: names and columns.
 */
import { describe, expect, test } from 'vitest';
import { crdOf } from '../kubernetes/meta/crd.ts';
import type { AnyKind } from '../kubernetes/meta/kind.ts';
import { containerRuntimeConfig } from './container-runtime-config.ts';
import { controllerConfig } from './controller-config.ts';
import { kubeletConfig } from './kubelet-config.ts';
import { machineConfig } from './machine-config.ts';
import { machineConfigNode } from './machine-config-node.ts';
import { machineConfigPool } from './machine-config-pool.ts';
import { machineOSBuild } from './machine-os-build.ts';
import { machineOSConfig } from './machine-os-config.ts';
import { osImageStream } from './os-image-stream.ts';
import { pinnedImageSet } from './pinned-image-set.ts';

const names: readonly (readonly [AnyKind, string, string, string, boolean])[] = [
  [machineConfig, 'machineconfigs', 'machineconfig', 'mc', false],
  [machineConfigPool, 'machineconfigpools', 'machineconfigpool', 'mcp', true],
  [machineConfigNode, 'machineconfignodes', 'machineconfignode', 'mcn', true],
  [machineOSConfig, 'machineosconfigs', 'machineosconfig', 'mosc', true],
  [machineOSBuild, 'machineosbuilds', 'machineosbuild', 'mosb', true],
  [pinnedImageSet, 'pinnedimagesets', 'pinnedimageset', 'pis', false],
  [kubeletConfig, 'kubeletconfigs', 'kubeletconfig', '', true],
  [containerRuntimeConfig, 'containerruntimeconfigs', 'containerruntimeconfig', 'ctrcfg', true],
  [controllerConfig, 'controllerconfigs', 'controllerconfig', '', true],
  [osImageStream, 'osimagestreams', 'osimagestream', '', true],
];

for (const [kind, plural, singular, short, hasStatus] of names) {
  test(`${kind.kind} has its names, its label and its status subresource`, () => {
    const { spec, metadata } = crdOf(kind);
    expect(spec.group).toBe('machineconfiguration.openshift.io');
    expect(spec.scope).toBe('Cluster');
    expect(spec.names).toEqual({
      kind: kind.kind,
      listKind: `${kind.kind}List`,
      plural,
      singular,
      ...(short === '' ? {} : { shortNames: [short] }),
    });
    expect(metadata).toEqual({
      name: `${plural}.machineconfiguration.openshift.io`,
      labels: { 'openshift.io/operator-managed': '' },
    });
    expect(spec.versions.map((version) => [version.name, version.served, version.storage])).toEqual([
      ['v1', true, true],
    ]);
    expect(spec.versions[0]?.subresources).toEqual(hasStatus ? { status: {} } : undefined);
    expect(Object.hasOwn(kind.schema.properties ?? {}, 'status')).toBe(hasStatus);
  });
}

describe('printer columns', () => {
  const statusOf = (type: string) => `.status.conditions[?(@.type=="${type}")].status`;
  const age = ['Age', 'date', '.metadata.creationTimestamp'] as const;

  const tables: readonly (readonly [AnyKind, readonly (readonly [string, string, string, number?])[]])[] = [
    [
      machineConfig,
      [
        [
          'GeneratedByController',
          'string',
          '.metadata.annotations.machineconfiguration\\.openshift\\.io/generated-by-controller-version',
        ],
        ['IgnitionVersion', 'string', '.spec.config.ignition.version'],
        age,
      ],
    ],
    [
      machineConfigPool,
      [
        ['Config', 'string', '.status.configuration.name'],
        ['Updated', 'string', statusOf('Updated')],
        ['Updating', 'string', statusOf('Updating')],
        ['Degraded', 'string', statusOf('Degraded')],
        ['MachineCount', 'number', '.status.machineCount'],
        ['ReadyMachineCount', 'number', '.status.readyMachineCount'],
        ['UpdatedMachineCount', 'number', '.status.updatedMachineCount'],
        ['DegradedMachineCount', 'number', '.status.degradedMachineCount'],
        age,
      ],
    ],
    [
      machineConfigNode,
      [
        ['PoolName', 'string', '.spec.pool.name'],
        ['DesiredConfig', 'string', '.spec.configVersion.desired'],
        ['CurrentConfig', 'string', '.status.configVersion.current'],
        ['Updated', 'string', statusOf('Updated')],
        age,
        ['UpdatePrepared', 'string', statusOf('UpdatePrepared'), 1],
        ['UpdateExecuted', 'string', statusOf('UpdateExecuted'), 1],
        ['UpdatePostActionComplete', 'string', statusOf('UpdatePostActionComplete'), 1],
        ['UpdateComplete', 'string', statusOf('UpdateComplete'), 1],
        ['Resumed', 'string', statusOf('Resumed'), 1],
        ['UpdatedFilesAndOS', 'string', statusOf('AppliedFilesAndOS'), 1],
        ['CordonedNode', 'string', statusOf('Cordoned'), 1],
        ['DrainedNode', 'string', statusOf('Drained'), 1],
        ['RebootedNode', 'string', statusOf('RebootedNode'), 1],
        ['UncordonedNode', 'string', statusOf('Uncordoned'), 1],
        ['Degraded', 'string', statusOf('NodeDegraded'), 1],
      ],
    ],
    [
      machineOSBuild,
      [
        ['Prepared', 'string', statusOf('Prepared')],
        ['Building', 'string', statusOf('Building')],
        ['Succeeded', 'string', statusOf('Succeeded')],
        ['Interrupted', 'string', statusOf('Interrupted')],
        ['Failed', 'string', statusOf('Failed')],
        age,
      ],
    ],
  ];

  for (const [kind, columns] of tables) {
    test(`of ${kind.kind} are these, in this order`, () => {
      expect(kind.columns).toEqual(
        columns.map(([name, type, jsonPath, priority]) => ({
          name,
          type,
          jsonPath,
          ...(priority === undefined ? {} : { priority }),
        })),
      );
    });
  }

  test('of every other kind are the defaults of kubectl', () => {
    const withColumns = new Set(tables.map(([kind]) => kind));
    for (const [kind] of names) {
      if (withColumns.has(kind)) continue;
      expect(crdOf(kind).spec.versions[0]).not.toHaveProperty('additionalPrinterColumns');
    }
  });
});
