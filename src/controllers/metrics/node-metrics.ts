/** The metrics of the node controller that follow from its caches: they are read when someone looks. */
import { annotations } from '../../api/index.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import { isDrainOverdue } from '../../rollout/index.ts';
import type { Context } from '../context.ts';
import type { NodeSources } from '../node-sources.ts';
import {
  DEGRADED_COUNT,
  DRAIN_ERROR,
  MACHINE_COUNT,
  NODE_PHASE_SINCE,
  OS_IMAGE_OVERRIDE,
  POOL_ALERT,
  POOL_CONDITION,
  POOL_CONDITION_TIME,
  POOL_HELD_SINCE,
  POOL_PAUSED,
  POOL_STATE_OF_NODE,
  UNAVAILABLE_COUNT,
  UPDATED_COUNT,
} from './definitions.ts';
import { eachPool, heldSince, newestCondition, poolConditionsOf } from './pool-readings.ts';
import type { UpdatePhases } from './update-phases.ts';

type NodeReadings = {
  readonly sources: NodeSources;
  readonly phases: UpdatePhases;
  readonly index: {
    /** Node and pool of every node that is in one. */
    members(): Iterable<readonly [node: string, pool: string]>;
    /** Nodes of the control plane that a custom pool selects too. */
    overlapping(): Iterable<string>;
  };
};

export function readNodeMetrics(context: Context, readings: NodeReadings): void {
  const { metrics } = context;
  const { sources, index, phases } = readings;
  const { pools, machineConfigs } = sources;
  readPoolCounts(context, sources);
  metrics.read(POOL_PAUSED, () => eachPool(pools.all(), ({ spec }) => (spec.paused === true ? 1 : 0)));
  metrics.read(POOL_HELD_SINCE, () => eachPool(pools.all(), heldSince));
  metrics.read(OS_IMAGE_OVERRIDE, () =>
    eachPool(pools.all(), ({ spec }) => {
      const rendered = machineConfigs.get({ name: spec.configuration?.name ?? '' });
      return annotationOf(rendered, annotations.osImageURLOverridden) === 'true' ? 1 : 0;
    }),
  );
  metrics.read(NODE_PHASE_SINCE, () => phases.readings());
  metrics.read(POOL_ALERT, () => [...index.overlapping()].map((node) => ({ labels: { node }, value: 1 })));
  metrics.read(DRAIN_ERROR, () => overdueDrains(context, sources));
  metrics.read(POOL_STATE_OF_NODE, () => statesOfNodes(readings));
}

function readPoolCounts({ metrics }: Context, { pools }: NodeSources): void {
  const conditions = () =>
    [...pools.all()].flatMap((pool) => poolConditionsOf(pool).map((one) => ({ pool: nameOf(pool), ...one })));
  metrics.read(MACHINE_COUNT, () => eachPool(pools.all(), ({ status }) => status?.machineCount ?? 0));
  metrics.read(UPDATED_COUNT, () => eachPool(pools.all(), ({ status }) => status?.updatedMachineCount ?? 0));
  metrics.read(DEGRADED_COUNT, () =>
    eachPool(pools.all(), ({ status }) => status?.degradedMachineCount ?? 0),
  );
  metrics.read(UNAVAILABLE_COUNT, () =>
    eachPool(pools.all(), ({ status }) => status?.unavailableMachineCount ?? 0),
  );
  metrics.read(POOL_CONDITION, () =>
    conditions().map(({ pool, type, isTrue }) => ({
      labels: { pool, condition: type },
      value: isTrue ? 1 : 0,
    })),
  );
  metrics.read(POOL_CONDITION_TIME, () =>
    conditions().flatMap(({ pool, type, changedAt }) =>
      changedAt === undefined ? [] : [{ labels: { pool, condition: type }, value: changedAt }],
    ),
  );
}

/** From the record on the Node, so that it survives a restart of the controller. */
function overdueDrains({ env, settings }: Context, { nodes }: NodeSources) {
  const nowMs = env.clock.now();
  return [...nodes.all()]
    .filter((node) => isDrainOverdue(node, nowMs, settings.drain))
    .map((node) => ({ labels: { node: nameOf(node) }, value: 1 }));
}

/** One series per node: that of its pool's newest condition that is true, with the time when it became so. */
function statesOfNodes({ sources: { pools }, index }: NodeReadings) {
  const newest = new Map([...pools.all()].map((pool) => [nameOf(pool), newestCondition(pool)]));
  return [...index.members()].flatMap(([node, pool]) => {
    const condition = newest.get(pool);
    if (condition?.changedAt === undefined) return [];
    const { type: state, reason, changedAt: value } = condition;
    return [{ labels: { node, pool, state, reason }, value }];
  });
}
