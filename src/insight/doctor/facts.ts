/**
 * The facts that rules look at: the objects of a snapshot, related to each other by the functions of `rollout`, as the
 * controllers relate them.
 */
import {
  controllerConfig as controllerConfigKind,
  type MachineConfigNode,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
} from '../../api/index.ts';
import { stringAt } from '../../base/json-fields.ts';
import { formatTimestamp } from '../../base/text/index.ts';
import { nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import {
  daemonSet as daemonSetKind,
  deployment as deploymentKind,
  lease as leaseKind,
  type Node,
  node as nodeKind,
} from '../../kubernetes/types/index.ts';
import {
  drainState,
  type Gate,
  type Layering,
  layeringOf,
  type Membership,
  maxUnavailable,
  membershipOf,
  poolGate,
  selectCandidates,
  tallyOf,
  targetOf,
} from '../../rollout/index.ts';
import type { AbsentComponents, LeaderLeases } from '../absent-components.ts';
import { fleetStatus } from '../fleet-status.ts';
import type { NodeSummary } from '../node-summary.ts';
import type { PoolSummary } from '../pool-summary.ts';
import type { ClusterSnapshot } from '../snapshot/cluster-snapshot.ts';
import { groupedBy } from './grouped-by.ts';

export type Facts = {
  readonly snapshot: ClusterSnapshot;
  readonly nowMs: number;
  /** RFC 3339. */
  readonly now: string;
  /** Of the components. */
  readonly namespace: string;
  /** Undefined where all run, and where that is unknown. */
  readonly absent: AbsentComponents | undefined;
  /** By name. */
  readonly pools: readonly PoolFacts[];
  /** All nodes, by name. */
  readonly nodes: readonly NodeFacts[];
};

export type PoolFacts = {
  readonly name: string;
  readonly pool: MachineConfigPool;
  readonly summary: PoolSummary;
  readonly layering: Layering | undefined;
  readonly gate: Gate;
  readonly members: readonly NodeFacts[];
  /** Nodes wait for the target, no node is on its way to it, and none may be sent. */
  readonly isStanding: boolean;
};

export type NodeFacts = {
  readonly name: string;
  readonly node: Node;
  readonly record: MachineConfigNode | undefined;
  readonly membership: Membership;
  /** The name of its pool; empty where it has none. */
  readonly pool: string;
  /** Of nodes in a pool. */
  readonly summary: NodeSummary | undefined;
  readonly drain: ReturnType<typeof drainState>;
};

/** `leaders`: by default those of the snapshot. */
export function factsOf(
  snapshot: ClusterSnapshot,
  namespace: string,
  leaders: LeaderLeases | undefined = leadersOf(snapshot, namespace),
): Facts {
  const { nowMs } = snapshot;
  const objects = {
    pools: snapshot.all(machineConfigPoolKind),
    nodes: snapshot.all(nodeKind),
    machineConfigNodes: snapshot.all(machineConfigNodeKind),
    machineOSConfigs: snapshot.all(machineOSConfigKind),
    machineOSBuilds: snapshot.all(machineOSBuildKind),
  };
  const status = fleetStatus({ ...objects, nowMs, ...(leaders && { leaders }) });
  const summaries = new Map(
    status.pools.flatMap((pool) => pool.nodes.map((summary) => [summary.name, summary] as const)),
  );
  const nodes = objects.nodes
    .filter((node) => nameOf(node) !== '')
    .map((node): NodeFacts => {
      const membership = membershipOf(node, objects.pools);
      const name = nameOf(node);
      return {
        name,
        node,
        record: snapshot.get(machineConfigNodeKind, { name }),
        membership,
        pool: nameOf(membership.primary),
        summary: summaries.get(name),
        drain: drainState(node),
      };
    });
  const byPool = groupedBy(nodes, ({ pool }) => pool);
  const unavailable = new Map(status.pools.map(({ name, counts }) => [name, counts.unavailable]));
  const pools = status.pools.flatMap((summary): readonly PoolFacts[] => {
    const pool = snapshot.get(machineConfigPoolKind, { name: summary.name });
    if (pool === undefined) return [];
    const layering = layeringOf(pool, objects.machineOSConfigs, objects.machineOSBuilds);
    const members = byPool.get(summary.name) ?? [];
    const gate = gateOf(snapshot, { pool, layering, unavailable });
    const isStanding = isPoolStanding({ pool, summary, layering, members });
    return [{ name: summary.name, pool, summary, layering, gate, members, isStanding }];
  });
  return {
    ...{ snapshot, nowMs, namespace, pools, nodes },
    now: formatTimestamp(nowMs),
    absent: status.absent,
  };
}

/** Undefined where Leases were not read. */
function leadersOf(snapshot: ClusterSnapshot, namespace: string): LeaderLeases | undefined {
  if (!snapshot.has(leaseKind)) return undefined;
  const ours = <T>(objects: readonly T[]) => objects.filter((one) => namespaceOf(one) === namespace);
  const hasWorkloads = snapshot.has(deploymentKind) && snapshot.has(daemonSetKind);
  const [daemons] = ours(snapshot.all(daemonSetKind)).filter(
    (one) => nameOf(one) === 'machine-config-daemon',
  );
  return {
    namespace,
    leases: ours(snapshot.all(leaseKind)),
    readMs: snapshot.nowMs,
    ...(hasWorkloads && {
      workloads: {
        deployments: ours(snapshot.all(deploymentKind)),
        ...(daemons === undefined ? {} : { daemonSet: daemons }),
      },
    }),
  };
}

type GateFacts = {
  readonly pool: MachineConfigPool;
  readonly layering: Layering | undefined;
  /** By name of the pool. */
  readonly unavailable: ReadonlyMap<string, number>;
};

function gateOf(snapshot: ClusterSnapshot, { pool, layering, unavailable }: GateFacts): Gate {
  const [controllerConfig] = snapshot.all(controllerConfigKind);
  const master = snapshot.get(machineConfigPoolKind, { name: 'master' });
  const hasArbiter = unavailable.has('arbiter');
  return poolGate({
    pool,
    ...(layering === undefined ? {} : { layering }),
    // Where MachineConfigs were not read, none is called missing.
    machineConfigExists: (name) =>
      !snapshot.has(machineConfigKind) || snapshot.get(machineConfigKind, { name }) !== undefined,
    topology: stringAt(controllerConfig, 'spec', 'infra', 'status', 'controlPlaneTopology'),
    ...(master && {
      master: {
        isPaused: master.spec?.paused === true,
        unavailable: unavailable.get('master') ?? 0,
        candidates: 0,
      },
    }),
    ...(hasArbiter && { arbiter: { unavailable: unavailable.get('arbiter') ?? 0 } }),
  });
}

type Standing = Pick<PoolFacts, 'pool' | 'summary' | 'layering' | 'members'>;

function isPoolStanding({ pool, summary, layering, members }: Standing): boolean {
  if (summary.counts.waiting === 0 || summary.isPaused) return false;
  if (summary.nodes.some(({ state, overdue }) => state === 'moving' && overdue === undefined)) return false;
  const limit = maxUnavailable(pool, members.length);
  if (limit.kind === 'invalid') return true;
  const records = new Map(members.map(({ name, record }) => [name, record]));
  const tally = tallyOf(
    targetOf(pool, layering),
    members.map(({ node }) => node),
    (name) => records.get(name),
  );
  const { candidates, capacity } = selectCandidates(tally.availability, limit.value);
  return candidates.length === 0 || capacity === 0;
}
