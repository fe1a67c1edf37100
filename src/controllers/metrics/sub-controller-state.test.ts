/** What the controllers have completed last, with the real controllers on the embedded server, in virtual time. */
import { afterEach, expect, it } from 'vitest';
import { everyDefinition } from '../../../scripts/metric-definitions.ts';
import type { World } from '../../../test/rollout/build-world.ts';
import { startWorld } from '../../../test/rollout/world.ts';
import { annotations, machineConfigPool as machineConfigPoolKind, nodeRoleLabel } from '../../api/index.ts';
import { formatMetrics, Metrics } from '../../kubernetes/metrics/index.ts';
import { node as nodeKind } from '../../kubernetes/types/index.ts';

const POOL = 'infra';

let world: World;
afterEach(() => world.stop());

it('has no series of nodes and pools that are gone', async () => {
  const metrics = new Metrics(everyDefinition());
  world = await startWorld({ masters: 1, workers: 2 });
  await world.startControllers(undefined, { metrics });
  await world.kube.create(machineConfigPoolKind, {
    ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool' },
    metadata: { name: POOL },
    spec: {
      machineConfigSelector: {
        matchExpressions: [
          { key: 'machineconfiguration.openshift.io/role', operator: 'In', values: ['worker', POOL] },
        ],
      },
      nodeSelector: { matchLabels: { [nodeRoleLabel(POOL)]: '' } },
    },
  });
  const body = { metadata: { annotations: { [annotations.desiredDrain]: 'drain-v1' } } };
  await world.kube.patch(nodeKind, { name: 'worker-0' }, { type: 'merge', body });
  await world.env.clock.advance(60_000);
  const objects = () =>
    new Set(
      formatMetrics([metrics])
        .split('\n')
        .flatMap((line) => /^mcc_sub_controller_state\{.*object="([^"]*)"/.exec(line)?.[1] ?? []),
    );
  expect([...objects()]).toEqual(expect.arrayContaining(['worker-0', POOL, 'worker']));
  await world.kube.delete(nodeKind, { name: 'worker-0' });
  await world.kube.delete(machineConfigPoolKind, { name: POOL });
  await world.env.clock.advance(60_000);
  expect(objects()).toContain('worker');
  expect(objects()).not.toContain('worker-0');
  expect(objects()).not.toContain(POOL);
});
