/** The status of ClusterOperator machine-config, on servers that have the kind. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clusterOperator } from '../../src/api/index.ts';
import { configMap, customResourceDefinition, node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { clusterOperatorDefinition } from '../support/cluster-operator-definition.ts';
import { aNode, type World } from './build-world.ts';
import {
  condition,
  cordonAsAdmin,
  eventsAbout,
  firstConfig,
  MINUTE,
  newTarget,
  target,
} from './story-steps.ts';
import { startWorld } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld({ masters: 1, workers: 2 });
});
afterEach(() => world.stop());

const ofCluster = async (type: string) => {
  const found = await world.kube.get(clusterOperator, { name: 'machine-config' });
  const condition = found?.status?.conditions?.find((one) => one.type === type);
  return [condition?.status, condition?.reason, condition?.message];
};

it('reports health, then the degraded pool, and images of another release', async () => {
  await world.kube.create(customResourceDefinition, clusterOperatorDefinition);
  await world.startControllers();
  const ill = new Set<string>();
  await world.startDaemons({ failure: (node) => (ill.has(node) ? 'no' : undefined) });
  await firstConfig(world);
  await world.until('a word', async () => (await ofCluster('Available'))[0] === 'True', MINUTE);
  expect(await ofCluster('Degraded')).toEqual(['False', 'AsExpected', '']);
  ill.add('worker-0');
  await newTarget(world, 'worker', 'bad');
  await world.until('a degraded pool', async () => (await ofCluster('Degraded'))[0] === 'True', 60 * MINUTE);
  expect(await ofCluster('Upgradeable')).toEqual([
    'False',
    'DegradedPool',
    expect.stringContaining('oc get mcp'),
  ]);
  expect(await eventsAbout(world, 'ClusterOperator', 'machine-config')).toMatchObject([
    { type: 'Warning', reason: 'OperatorDegraded: RequiredPoolsFailed' },
  ]);
  await world.kube.create(configMap, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'machine-config-osimageurl', namespace: 'openshift-machine-config-operator' },
    data: { releaseVersion: '1.2.3', osImageURL: 'registry.example/os@sha256:1' },
  });
  await world.until(
    'the guard',
    async () => (await ofCluster('Degraded'))[1] === 'RenderConfigFailed',
    MINUTE,
  );
});

it('stays upgradeable, and its pools updated, while a node is cordoned by others or joining', async () => {
  await world.kube.create(customResourceDefinition, clusterOperatorDefinition);
  await world.startControllers();
  const daemons = await world.startDaemons();
  await firstConfig(world);
  await daemons.stop();
  const config = await target(world, 'worker');
  await cordonAsAdmin(world, 'worker-0', true);
  await world.kube.create(nodeKind, aNode('worker-new', ['worker']));
  await world.env.clock.advance(MINUTE);
  const { machineCount, updatedMachineCount, unavailableMachineCount } =
    (await world.pool('worker')).status ?? {};
  expect([machineCount, updatedMachineCount, unavailableMachineCount]).toEqual([3, 2, 2]);
  expect(await condition(world, 'worker', 'Updated')).toEqual([
    'True',
    `All nodes are updated with MachineConfig ${config}`,
  ]);
  expect(await condition(world, 'worker', 'Updating')).toEqual(['False', '']);
  expect((await ofCluster('Upgradeable'))[0]).toBe('True');
  expect((await ofCluster('Degraded'))[0]).toBe('False');
});

it('queries a server without that kind once in ten minutes, however often pools change', async () => {
  let asked = 0;
  await world.startControllers((transport) => ({
    send: (request) => {
      if (request.path.includes('/clusteroperators/')) asked++;
      return transport.send(request);
    },
  }));
  await world.startDaemons();
  await firstConfig(world);
  await newTarget(world, 'worker', 'good');
  await world.untilUpdated(['worker', 'master'], 9 * MINUTE);
  expect(asked).toBe(1);
});
