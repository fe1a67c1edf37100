import { describe, expect, it } from 'vitest';
import { clusterSnapshot, type SnapshotObject } from '../../insight/index.ts';
import { rehearsedCluster } from './rehearsed-cluster.ts';

const MC = 'machineconfiguration.openshift.io';
const NAMESPACE = 'openshift-machine-config-operator';

const pool = (name: string): SnapshotObject =>
  ({
    ...{ apiVersion: `${MC}/v1`, kind: 'MachineConfigPool', metadata: { name } },
    spec: {
      configuration: { name: `rendered-${name}-2` },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
    },
    status: { machineCount: 3 },
  }) as unknown as SnapshotObject;

const config = (name: string): SnapshotObject =>
  ({ apiVersion: `${MC}/v1`, kind: 'MachineConfig', metadata: { name }, spec: {} }) as SnapshotObject;

type NodeParts = {
  readonly role?: string;
  readonly annotations?: object;
  readonly spec?: object;
  readonly ready?: string;
};

function node(
  name: string,
  { role = 'worker', annotations = {}, spec = {}, ready = 'True' }: NodeParts = {},
) {
  return {
    ...{ apiVersion: 'v1', kind: 'Node', spec, status: { conditions: [{ type: 'Ready', status: ready }] } },
    metadata: { name, annotations, labels: { [`node-role.kubernetes.io/${role}`]: '' } },
  } as SnapshotObject;
}

function rehearsed(...objects: readonly SnapshotObject[]) {
  const snapshot = clusterSnapshot({ nowMs: 0, objects, kinds: [] });
  return rehearsedCluster({ before: snapshot, after: snapshot }, NAMESPACE);
}

const at = (name: string, state = 'Done') => ({ [`${MC}/currentConfig`]: name, [`${MC}/state`]: state });

describe('a cluster that stands for a real one', () => {
  it('pauses its pools and leaves their rendering to its own controllers', () => {
    const { objects } = rehearsed(pool('worker'));
    expect(objects).toEqual([expect.objectContaining({ spec: expect.objectContaining({ paused: true }) })]);
    expect(JSON.stringify(objects)).not.toContain('rendered-worker-2');
    expect(JSON.stringify(objects)).not.toContain('machineCount');
  });

  it('keeps the config of a node that lags behind, and of no other', () => {
    const { nodes, objects } = rehearsed(
      ...[pool('worker'), config('rendered-worker-1'), config('rendered-worker-2')],
      ...[
        node('old', { annotations: at('rendered-worker-1') }),
        node('new', { annotations: at('rendered-worker-2') }),
      ],
    );
    expect(nodes.map((one) => [one.name, one.config])).toEqual([
      ['new', undefined],
      ['old', 'rendered-worker-1'],
    ]);
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(['rendered-worker-1', 'worker']);
  });

  it('keeps the cordon of a person, and takes away our own with our annotations and taints', () => {
    const record = JSON.stringify({
      ...{ request: 'drain-x', cordonedBy: 'millwright', attempts: 1 },
      ...{ began: '2026-01-01T00:00:00Z', attemptBegan: '2026-01-01T00:00:00Z' },
    });
    const taints = [{ key: 'UpdateInProgress', effect: 'PreferNoSchedule' }];
    const { nodes } = rehearsed(
      pool('worker'),
      node('theirs', { spec: { unschedulable: true }, annotations: { 'example/owner': 'me' } }),
      node('ours', {
        spec: { unschedulable: true, taints },
        annotations: { 'millwright.dev/drain': record },
      }),
    );
    expect(nodes.map((one) => [one.name, one.node.spec, one.node.metadata.annotations])).toEqual([
      ['ours', {}, {}],
      ['theirs', { unschedulable: true }, { 'example/owner': 'me' }],
    ]);
  });

  it('notes what it takes to be otherwise than it is', () => {
    const { notes, nodes } = rehearsed(
      ...[pool('worker'), node('stray', { role: 'storage' }), node('down', { ready: 'False' })],
      ...[node('ill', { annotations: at('rendered-worker-2', 'Degraded') })],
    );
    expect(notes).toEqual([
      'stray: in no pool or in two: left out',
      'down: not ready: taken to stay as they are',
      'ill: degraded now: taken to be healthy, on the config that they have',
    ]);
    expect(nodes.map(({ name, isUp }) => [name, isUp])).toEqual([
      ['down', false],
      ['ill', true],
    ]);
  });
});
