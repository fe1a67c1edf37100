/**
 * The status of a fleet as plain data: its pools, and nodes in no pool.
 *
 *     const status = fleetStatus({ pools, nodes, machineConfigNodes, nowMs })
 *
 * Two statuses of the same objects differ in `now` alone: all other times are start times.
 */

import type { MachineConfigNode, MachineConfigPool, MachineOSBuild, MachineOSConfig } from '../api/index.ts';
import { compareBytes, isObject } from '../base/json.ts';
import { formatTimestamp } from '../base/text/index.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { layeringOf, membershipOf } from '../rollout/index.ts';
import { type PoolSummary, poolSummary } from './pool-summary.ts';

export type FleetSnapshot = {
  readonly pools: Iterable<MachineConfigPool>;
  readonly nodes: Iterable<Node>;
  readonly machineConfigNodes: Iterable<MachineConfigNode>;
  /** For pools whose OS image is built in the cluster. */
  readonly machineOSConfigs?: Iterable<MachineOSConfig>;
  readonly machineOSBuilds?: Iterable<MachineOSBuild>;
  readonly nowMs: number;
};

export type FleetStatus = {
  /** Time of observation, in RFC 3339. */
  readonly now: string;
  /** By name. */
  readonly pools: readonly PoolSummary[];
  /** Nodes in no pool, by name. */
  readonly strays: readonly UnassignedNode[];
};

/**
 * `unselected`: no pool selects it; with a message if it was managed before. `conflict`: several custom pools select it.
 * `windows`: not managed.
 */
export type UnassignedNode = {
  readonly name: string;
  readonly kind: 'unselected' | 'conflict' | 'windows';
  readonly message?: string;
};

export function fleetStatus(snapshot: FleetSnapshot): FleetStatus {
  const pools = sortedByName(snapshot.pools);
  const records = new Map(
    sortedByName(snapshot.machineConfigNodes).map((record) => [nameOf(record), record]),
  );
  const members = new Map<string, Node[]>(pools.map((pool) => [nameOf(pool), []]));
  const unassigned: UnassignedNode[] = [];
  for (const node of sortedByName(snapshot.nodes)) {
    const membership = membershipOf(node, pools);
    if (membership.kind === 'member') members.get(nameOf(membership.primary))?.push(node);
    else unassigned.push(unassignedNode(nameOf(node), membership));
  }
  const configs = sortedByName(snapshot.machineOSConfigs ?? []);
  const builds = sortedByName(snapshot.machineOSBuilds ?? []);
  return {
    now: formatTimestamp(snapshot.nowMs),
    pools: pools.map((pool) =>
      poolSummary({
        pool,
        nodes: members.get(nameOf(pool)) ?? [],
        recordOf: (name) => records.get(name),
        layering: layeringOf(pool, configs, builds),
        nowMs: snapshot.nowMs,
      }),
    ),
    strays: unassigned,
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

type NonMembership = Exclude<ReturnType<typeof membershipOf>, { readonly kind: 'member' }>;

function unassignedNode(name: string, outside: NonMembership): UnassignedNode {
  if (outside.kind === 'windows') return { name, kind: 'windows' };
  const kind = outside.kind === 'conflict' ? 'conflict' : 'unselected';
  return { name, kind, ...(outside.message === undefined ? {} : { message: outside.message }) };
}
