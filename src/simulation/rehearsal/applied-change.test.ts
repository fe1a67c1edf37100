import { describe, expect, it } from 'vitest';
import { clusterSnapshot, type SnapshotObject } from '../../insight/index.ts';
import { changedObjects } from './applied-change.ts';

const NAMESPACE = 'machine-configs';

function aPool(spec: object, annotations: { readonly [key: string]: string } = {}): SnapshotObject {
  return {
    ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool' },
    ...{ metadata: { name: 'worker', annotations }, spec },
  } as SnapshotObject;
}

const images = (data: object): SnapshotObject =>
  ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', data },
    metadata: { name: 'machine-config-osimageurl', namespace: NAMESPACE },
  }) as SnapshotObject;

const snapshot = (...objects: readonly SnapshotObject[]) => clusterSnapshot({ nowMs: 0, objects, kinds: [] });

describe('a change for a simulated cluster', () => {
  it('is the difference to the real object, without what controllers have written into it', () => {
    const before = snapshot(aPool({ configuration: { name: 'rendered-worker-1' }, maxUnavailable: 1 }));
    const changed = changedObjects(
      before,
      { applied: [aPool({ maxUnavailable: 3 })], deleted: [] },
      NAMESPACE,
    );
    expect(changed).toMatchObject([{ place: { name: 'worker' }, patch: { spec: { maxUnavailable: 3 } } }]);
    expect(changed[0]?.patch).toEqual({ spec: { maxUnavailable: 3 } });
  });

  it('takes away what the last manifest had and this one does not have', () => {
    const last = JSON.stringify(aPool({ paused: true }));
    const before = snapshot(
      aPool({ paused: true }, { 'kubectl.kubernetes.io/last-applied-configuration': last }),
    );
    const changed = changedObjects(before, { applied: [aPool({})], deleted: [] }, NAMESPACE);
    expect(changed[0]?.patch).toMatchObject({ spec: { paused: null } });
  });

  it('creates what is not there, and deletes what is named', () => {
    const pool = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfigPool', name: 'worker' };
    const created = changedObjects(snapshot(), { applied: [aPool({})], deleted: [] }, NAMESPACE);
    expect(created[0]?.created).toMatchObject({ metadata: { name: 'worker' } });
    const [deleted] = changedObjects(snapshot(aPool({})), { applied: [], deleted: [pool] }, NAMESPACE);
    expect([deleted?.place, deleted?.created, deleted?.patch]).toEqual([
      { name: 'worker' },
      undefined,
      undefined,
    ]);
  });

  it('finds the ConfigMap of OS images in the usual namespace, wherever the real components are', () => {
    const before = snapshot(images({ osImageURL: '', releaseVersion: '1.0.0' }));
    const change = { applied: [images({ osImageURL: 'registry.example/os:2' })], deleted: [] };
    expect(changedObjects(before, change, NAMESPACE)).toMatchObject([
      {
        place: { name: 'machine-config-osimageurl', namespace: 'openshift-machine-config-operator' },
        patch: { data: { osImageURL: 'registry.example/os:2' } },
      },
    ]);
  });
});
