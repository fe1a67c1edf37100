/**
 * A whole fleet as plain data: its pools, and the nodes that are in none.
 *
 *     const overview = fleetOverview({ pools, nodes, machineConfigNodes, nowMs })
 *
 * Two overviews of the same objects differ in `now` alone: every other time in it is the moment at which something began.
 */

import type { MachineConfigNode, MachineConfigPool, MachineOSBuild, MachineOSConfig } from '../api/index.ts';
import { compareBytes, isObject } from '../base/json.ts';
import { formatTimestamp } from '../base/text/index.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { layeringOf, membershipOf } from '../rollout/index.ts';
import { type PoolOverview, poolOverview } from './pool-overview.ts';

export type FleetSnapshot = {
  readonly pools: Iterable<MachineConfigPool>;
  readonly nodes: Iterable<Node>;
  readonly machineConfigNodes: Iterable<MachineConfigNode>;
  /** For pools whose OS image is built in the cluster. */
  readonly machineOSConfigs?: Iterable<MachineOSConfig>;
  readonly machineOSBuilds?: Iterable<MachineOSBuild>;
  readonly nowMs: number;
};

export type FleetOverview = {
  /** When this was so, in RFC 3339. */
  readonly now: string;
  /** By name. */
  readonly pools: readonly PoolOverview[];
  /** Nodes that are in no pool, by name. */
  readonly strays: readonly StrayNode[];
};

/**
 * `unselected`: no pool wants it; with a message where it was managed before. `conflict`: more than one custom pool does.
 * `windows`: it is left alone on purpose.
 */
export type StrayNode = {
  readonly name: string;
  readonly kind: 'unselected' | 'conflict' | 'windows';
  readonly message?: string;
};

export function fleetOverview(snapshot: FleetSnapshot): FleetOverview {
  const pools = named(snapshot.pools);
  const records = new Map(named(snapshot.machineConfigNodes).map((record) => [nameOf(record), record]));
  const members = new Map<string, Node[]>(pools.map((pool) => [nameOf(pool), []]));
  const strays: StrayNode[] = [];
  for (const node of named(snapshot.nodes)) {
    const membership = membershipOf(node, pools);
    if (membership.kind === 'member') members.get(nameOf(membership.primary))?.push(node);
    else strays.push(strayOf(nameOf(node), membership));
  }
  const configs = named(snapshot.machineOSConfigs ?? []);
  const builds = named(snapshot.machineOSBuilds ?? []);
  return {
    now: formatTimestamp(snapshot.nowMs),
    pools: pools.map((pool) =>
      poolOverview({
        pool,
        nodes: members.get(nameOf(pool)) ?? [],
        recordOf: (name) => records.get(name),
        layering: layeringOf(pool, configs, builds),
        nowMs: snapshot.nowMs,
      }),
    ),
    strays,
  };
}

/** What can be called by a name, once each, in the order of names. What has none is no object of a cluster. */
function named<T extends Parameters<typeof nameOf>[0]>(objects: Iterable<T>): readonly T[] {
  const byName = new Map<string, T>();
  for (const object of objects) {
    if (isObject(object) && nameOf(object) !== '') byName.set(nameOf(object), object);
  }
  return [...byName.values()].sort((a, b) => compareBytes(nameOf(a), nameOf(b)));
}

type Outside = Exclude<ReturnType<typeof membershipOf>, { readonly kind: 'member' }>;

function strayOf(name: string, outside: Outside): StrayNode {
  if (outside.kind === 'windows') return { name, kind: 'windows' };
  const kind = outside.kind === 'conflict' ? 'conflict' : 'unselected';
  return { name, kind, ...(outside.message === undefined ? {} : { message: outside.message }) };
}
