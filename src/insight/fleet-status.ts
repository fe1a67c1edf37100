/**
 * The status of a fleet as plain data: its pools, and nodes in no pool.
 *
 *     const status = fleetStatus({ pools, nodes, machineConfigNodes, nowMs })
 *
 * Two statuses of the same objects differ in `now` alone, and in what is overdue by then: all other times are start times.
 */

import type {
  ControllerConfig,
  MachineConfigNode,
  MachineConfigPool,
  MachineOSBuild,
  MachineOSConfig,
} from '../api/index.ts';
import { compareBytes, isObject } from '../base/json.ts';
import { formatTimestamp } from '../base/text/index.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { layeringOf, membershipOf } from '../rollout/index.ts';
import { type AbsentComponents, absentComponents, type LeaderLeases } from './absent-components.ts';
import { type FailingControllers, failingControllers } from './failing-controllers.ts';
import { type PoolSummary, poolSummary } from './pool-summary.ts';
import { type UnassignedNode, unassignedNodes } from './unassigned-nodes.ts';

export type FleetSnapshot = {
  readonly pools: Iterable<MachineConfigPool>;
  readonly nodes: Iterable<Node>;
  readonly machineConfigNodes: Iterable<MachineConfigNode>;
  /** For pools whose OS image is built in the cluster. */
  readonly machineOSConfigs?: Iterable<MachineOSConfig>;
  readonly machineOSBuilds?: Iterable<MachineOSBuild>;
  /** Both missing where they cannot be read. */
  readonly controllerConfigs?: Iterable<ControllerConfig>;
  readonly leaders?: LeaderLeases | undefined;
  readonly nowMs: number;
};

export type FleetStatus = {
  /** Time of observation, in RFC 3339. */
  readonly now: string;
  /** By name. */
  readonly pools: readonly PoolSummary[];
  /** Nodes in no pool, by name. */
  readonly strays: readonly UnassignedNode[];
  /** Components that do not run; missing where all do, and where that is unknown. */
  readonly absent?: AbsentComponents;
  /** Missing where no reconcile keeps failing, and where that is unknown. */
  readonly failing?: FailingControllers;
  /** The code of what stops all pools, as the doctor names it; only `withCauses` adds it. */
  readonly cause?: string;
};

export function fleetStatus(snapshot: FleetSnapshot): FleetStatus {
  const pools = sortedByName(snapshot.pools);
  const records = new Map(
    sortedByName(snapshot.machineConfigNodes).map((record) => [nameOf(record), record]),
  );
  const members = new Map<string, Node[]>(pools.map((pool) => [nameOf(pool), []]));
  const nodes = sortedByName(snapshot.nodes);
  for (const node of nodes) {
    const membership = membershipOf(node, pools);
    if (membership.kind === 'member') members.get(nameOf(membership.primary))?.push(node);
  }
  const configs = sortedByName(snapshot.machineOSConfigs ?? []);
  const builds = sortedByName(snapshot.machineOSBuilds ?? []);
  const { leaders, nowMs } = snapshot;
  const absent = leaders === undefined ? undefined : absentComponents(leaders);
  const failing = failingControllers(snapshot.controllerConfigs ?? []);
  return {
    now: formatTimestamp(nowMs),
    pools: pools.map((pool) =>
      poolSummary({
        pool,
        nodes: members.get(nameOf(pool)) ?? [],
        recordOf: (name) => records.get(name),
        layering: layeringOf(pool, configs, builds),
        nowMs,
      }),
    ),
    strays: unassignedNodes(nodes, pools),
    ...(absent === undefined ? {} : { absent }),
    ...(failing === undefined ? {} : { failing }),
  };
}

/** Objects with a name, sorted by name, without duplicates. */
function sortedByName<T extends Parameters<typeof nameOf>[0]>(objects: Iterable<T>): readonly T[] {
  const byName = new Map<string, T>();
  for (const object of objects) {
    if (isObject(object) && nameOf(object) !== '') byName.set(nameOf(object), object);
  }
  return [...byName.values()].sort((a, b) => compareBytes(nameOf(a), nameOf(b)));
}
