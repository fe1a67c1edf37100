import { describe, expect, it } from 'vitest';
import { type MachineConfigPool, machineConfigPool } from '../../api/index.ts';
import { changeSnapshot } from './change-snapshot.ts';
import { clusterSnapshot, type SnapshotObject } from './cluster-snapshot.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const GROUP = 'machineconfiguration.openshift.io';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function aPool(spec: object, metadata: object = {}): SnapshotObject {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'MachineConfigPool',
    metadata: { name: 'infra', ...metadata },
    spec,
  } as unknown as SnapshotObject;
}

const snapshot = (...objects: readonly SnapshotObject[]) =>
  clusterSnapshot({ nowMs: NOW, objects, kinds: [] });
const applied = (
  before: readonly SnapshotObject[],
  ...objects: readonly SnapshotObject[]
): MachineConfigPool =>
  changeSnapshot(snapshot(...before), { applied: objects, deleted: [] }).all(
    machineConfigPool,
  )[0] as MachineConfigPool;

describe('a snapshot after a change', () => {
  it('has a new object with an age, a uid and no status', () => {
    const given = { ...aPool({ paused: true }), status: { machineCount: 3 } } as SnapshotObject;
    const pool = applied([], given);
    expect(pool.metadata).toMatchObject({ creationTimestamp: '2026-01-02T03:04:05Z', generation: 1 });
    expect(pool.metadata.uid).toContain('planned-');
    expect(pool.status).toBeUndefined();
  });

  it('keeps what controllers have written, which no manifest names', () => {
    const present = aPool({ paused: true, configuration: { name: 'rendered-infra-1' } }, { uid: 'u' });
    const pool = applied([present], aPool({ paused: false }));
    expect(pool.spec).toEqual({ paused: false, configuration: { name: 'rendered-infra-1' } });
    expect(pool.metadata.uid).toBe('u');
  });

  it('loses the fields that the manifest had when it was last applied', () => {
    const last = JSON.stringify({ spec: { paused: true, nodeSelector: { matchLabels: { a: '', b: '' } } } });
    const present = aPool(
      { paused: true, nodeSelector: { matchLabels: { a: '', b: '', c: '' } } },
      { annotations: { [LAST_APPLIED]: last, other: 'x' } },
    );
    const pool = applied([present], aPool({ nodeSelector: { matchLabels: { a: '' } } }));
    expect(pool.spec).toEqual({ nodeSelector: { matchLabels: { a: '', c: '' } } });
    expect(pool.metadata.annotations?.other).toBe('x');
  });

  it('loses the fields that were applied on the side of the server, and not those of our components', () => {
    const managedFields = [
      {
        manager: 'kubectl',
        operation: 'Apply',
        fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:maxUnavailable': {} } },
      },
      {
        manager: 'machine-config-controller',
        operation: 'Apply',
        fieldsV1: { 'f:spec': { 'f:configuration': {} } },
      },
      { manager: 'kubectl-edit', operation: 'Update', fieldsV1: { 'f:spec': { 'f:nodeSelector': {} } } },
    ];
    const spec = { paused: true, maxUnavailable: 2, configuration: { name: 'r' }, nodeSelector: {} };
    const pool = applied([aPool(spec, { managedFields })], aPool({ paused: true }));
    expect(pool.spec).toEqual({ paused: true, configuration: { name: 'r' }, nodeSelector: {} });
  });

  it('ignores a last manifest that cannot be read', () => {
    const present = aPool({ paused: true }, { annotations: { [LAST_APPLIED]: '{' } });
    expect(applied([present], aPool({ maxUnavailable: 2 })).spec).toEqual({
      paused: true,
      maxUnavailable: 2,
    });
  });

  it('counts a generation for another spec alone', () => {
    const present = aPool({ paused: true }, { generation: 4 });
    expect(applied([present], aPool({ paused: true }, { labels: { a: 'b' } })).metadata.generation).toBe(4);
    expect(applied([present], aPool({ paused: false })).metadata.generation).toBe(5);
  });

  it('replaces lists as a whole, and removes fields that are null', () => {
    const present = aPool({ nodeSelector: { matchExpressions: [{ key: 'a' }, { key: 'b' }] }, paused: true });
    const wanted = aPool({ nodeSelector: { matchExpressions: [{ key: 'c' }] }, paused: null });
    expect(applied([present], wanted).spec).toEqual({ nodeSelector: { matchExpressions: [{ key: 'c' }] } });
  });

  it('takes a field named __proto__ as any other', () => {
    const odd = JSON.parse('{"__proto__": {"polluted": "yes"}}');
    const pool = applied([aPool({})], aPool(odd));
    expect(Object.hasOwn(pool.spec, '__proto__')).toBe(true);
    expect((pool.spec as unknown as { polluted?: string }).polluted).toBeUndefined();
  });

  it('lacks an object that was deleted, and an object of another namespace stays', () => {
    const inNamespace = (namespace: string) =>
      ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace } }) as SnapshotObject;
    const { objects } = changeSnapshot(snapshot(aPool({}), inNamespace('x'), inNamespace('y')), {
      applied: [],
      deleted: [
        { group: GROUP, kind: 'MachineConfigPool', name: 'infra' },
        { group: '', kind: 'ConfigMap', name: 'a', namespace: 'x' },
      ],
    });
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).toEqual(['ConfigMap y']);
  });
});
