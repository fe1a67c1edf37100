/** A pool, or the pool of a node, with everything that decisions about it are made from: the same as the node controller's. */
import type { MachineConfigPool } from '../../api/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import {
  type Layering,
  layeringOf,
  type Membership,
  membershipOf,
  type PoolTally,
  tallyOf,
  targetOf,
} from '../../rollout/index.ts';
import { type FleetSnapshot, fleetStatus } from '../fleet-status.ts';
import { PHASE_MESSAGES } from '../messages.ts';
import type { NodeSummary } from '../node-summary.ts';
import type { PoolSummary } from '../pool-summary.ts';
import { elapsed } from '../timestamp.ts';

export type PoolView = {
  readonly pool: MachineConfigPool;
  readonly layering: Layering | undefined;
  readonly nodes: readonly Node[];
  readonly tally: PoolTally;
  readonly summary: PoolSummary;
  /** The time of the snapshot, for durations. */
  readonly now: string;
};

export function poolView(snapshot: FleetSnapshot, name: string): PoolView | undefined {
  const pools = [...snapshot.pools];
  const pool = pools.find((one) => nameOf(one) === name);
  const { pools: summaries, now } = fleetStatus(snapshot);
  const summary = summaries.find((one) => one.name === name);
  if (pool === undefined || summary === undefined) return undefined;
  const nodes = [...snapshot.nodes].filter((node) => {
    const { primary } = membershipOf(node, pools);
    return primary !== undefined && nameOf(primary) === name;
  });
  const records = new Map([...snapshot.machineConfigNodes].map((record) => [nameOf(record), record]));
  const layering = layeringOf(pool, snapshot.machineOSConfigs ?? [], snapshot.machineOSBuilds ?? []);
  const tally = tallyOf(targetOf(pool, layering), nodes, (node) => records.get(node));
  return { pool, layering, nodes, tally, summary, now };
}

export type NodeView = {
  readonly node: Node;
  readonly membership: Membership;
  /** Absent where it is in no pool. */
  readonly view?: PoolView;
  readonly summary?: NodeSummary;
};

export function nodeView(snapshot: FleetSnapshot, name: string): NodeView | undefined {
  const node = [...snapshot.nodes].find((one) => nameOf(one) === name);
  if (node === undefined) return undefined;
  const membership = membershipOf(node, snapshot.pools);
  const view = membership.primary && poolView(snapshot, nameOf(membership.primary));
  const summary = view?.summary.nodes.find((one) => one.name === name);
  return {
    node,
    membership,
    ...(view === undefined ? {} : { view }),
    ...(summary === undefined ? {} : { summary }),
  };
}

/** `draining for 12s`; empty where it does nothing. */
export function phaseText({ phase, phaseSince }: NodeSummary, now: string): string {
  if (phase === undefined) return '';
  const duration = elapsed(phaseSince, now);
  return `${PHASE_MESSAGES[phase]}${duration === undefined ? '' : ` for ${duration}`}`;
}
