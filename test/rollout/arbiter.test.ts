/** A control plane with an arbiter: both pools share one etcd, so they are updated one after the other. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  builtInPool,
  controllerConfig as controllerConfigKind,
  machineConfigPool as machineConfigPoolKind,
} from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { aMachineConfig, aNode, type World } from './build-world.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import { cordoned, firstConfig, HOUR, MINUTE, newTarget, patchPool, target } from './story-steps.ts';
import { startWorld } from './world.ts';

describe('a control plane with an arbiter', () => {
  let world: World;
  let judge: Judge;
  afterEach(() => world.stop());

  const begin = async (): Promise<void> => {
    world = await startWorld({ masters: 2, workers: 1 });
    // The members of etcd are in both pools; one may be down.
    judge = watchAsJudge(world.store, (node) => (node.startsWith('worker') ? 'worker' : 'etcd'));
    await world.startControllers();
    await world.startDaemons();
    await firstConfig(world);
    const infra = {
      ...{ apiVersion: 'config.openshift.io/v1', kind: 'Infrastructure', metadata: { name: 'cluster' } },
      spec: {},
      status: { controlPlaneTopology: 'HighlyAvailableArbiter' },
    };
    const place = { name: 'machine-config-controller' };
    await world.kube.patch(controllerConfigKind, place, { type: 'merge', body: { spec: { infra } } });
    await world.apply(aMachineConfig('00-arbiter', 'arbiter', 'base'));
    await world.kube.create(machineConfigPoolKind, builtInPool('arbiter'));
    await world.kube.create(nodeKind, aNode('arbiter-0', ['arbiter']));
    await world.untilUpdated(['master', 'arbiter', 'worker'], HOUR);
  };

  it('updates one pool after the other', async () => {
    await begin();
    await newTargets();
    await world.untilUpdated(['master', 'arbiter'], HOUR);
    expect(Object.fromEntries(judge.drains)).toEqual({ 'master-0': 1, 'master-1': 1, 'arbiter-0': 1 });
    expect(judge.mostDown.get('etcd')).toBe(1);
    expect(await cordoned(world)).toEqual([]);
    expect(judge.faults).toEqual([]);
  });

  /** For both, in the same moment. */
  const newTargets = async (): Promise<void> => {
    const before = [await target(world, 'master'), await target(world, 'arbiter')];
    for (const pool of ['arbiter', 'master'])
      await world.apply(aMachineConfig(`50-${pool}-motd`, pool, 'hello'));
    const areNew = async () =>
      !before.includes(await target(world, 'master')) && !before.includes(await target(world, 'arbiter'));
    await world.until('new targets', areNew, 20_000);
  };

  it('waits for an arbiter that is not ready, and continues when it is', async () => {
    await begin();
    const ready = async (status: string) => {
      const body = { status: { conditions: [{ type: 'Ready', status }] } };
      const place = { name: 'arbiter-0' };
      await world.kube.patch(nodeKind, place, { type: 'merge', body }, { subresource: 'status' });
    };
    await ready('False');
    await newTarget(world, 'master', 'hello');
    await world.env.clock.advance(10 * MINUTE);
    expect([...judge.drains]).toEqual([]);
    await ready('True');
    await world.untilUpdated(['master'], HOUR);
    expect(judge.faults).toEqual([]);
  });

  it('updates the arbiter while the control plane is paused and available', async () => {
    await begin();
    await patchPool(world, 'master', { paused: true });
    await newTargets();
    await world.untilUpdated(['arbiter'], HOUR);
    expect(Object.fromEntries(judge.drains)).toEqual({ 'arbiter-0': 1 });
    await patchPool(world, 'master', { paused: false });
    await world.untilUpdated(['master'], HOUR);
    expect(judge.faults).toEqual([]);
  });
});
