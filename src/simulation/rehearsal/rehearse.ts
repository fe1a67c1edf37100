/**
 * One rehearsal of a change: a simulated cluster that stands for the real one, the change, and what comes of it. The real operator,
 * controllers and daemons act on it; nothing is computed in their place. Of large clusters most nodes are modelled (`modelled-choice.ts`).
 */
import { kinds, machineConfigPool as machineConfigPoolKind, NAMESPACE } from '../../api/index.ts';
import {
  clusterSnapshot,
  type Diagnosis,
  diagnose,
  kindKey,
  type SnapshotObject,
} from '../../insight/index.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import { node as nodeKind, podDisruptionBudget, pod as podKind } from '../../kubernetes/types/index.ts';
import { type ChangedObject, makeChange } from './applied-change.ts';
import { LOOK_MS, MINUTE_MS, QUIET_MS } from './rehearsal-limits.ts';
import type { NodeTimeline, PoolTimeline } from './rollout-timeline.ts';
import { raiseStage, type Stage, type StageOptions } from './stage.ts';
import { faultsEndMs, lengthLimitMs, stallLimitMs } from './stall-limits.ts';
import { beginDown, beginFaults, crashControllers } from './what-ifs.ts';

type RehearsalOptions = StageOptions & {
  readonly change: readonly ChangedObject[];
  /** Pools that are paused once the change is made. */
  readonly pausedPools: ReadonlySet<string>;
  /** Of all pools; absent where each keeps its own. */
  readonly maxUnavailable?: number | string | undefined;
};

export type RehearsalProgress = {
  /** Nodes that have been sent so far, and that are done. */
  readonly sent: number;
  readonly done: number;
  readonly all: number;
  readonly elapsedMs: number;
};

export type Rehearsal = {
  readonly seed: number;
  /** Whether all nodes of all pools that may move are done. */
  readonly hasEnded: boolean;
  /** Until the last pool says so; where something blocks, until nothing moves any more. */
  readonly durationMs: number;
  readonly pools: readonly PoolTimeline[];
  /** Those that were sent, in that order. */
  readonly nodes: readonly NodeTimeline[];
  /** Of the cluster at the end, where it has not ended. */
  readonly diagnosis?: Diagnosis;
  /** Nodes that could not be simulated, and why. */
  readonly problems: readonly string[];
};

export async function rehearse(
  seed: number,
  options: RehearsalOptions,
  onProgress: (progress: RehearsalProgress) => void = () => undefined,
): Promise<Rehearsal> {
  const stage = await raiseStage(seed, options);
  try {
    await beginRollout(stage, options);
    const hasEnded = await followRollout(stage, options, onProgress);
    const [bug] = stage.bugs;
    if (bug !== undefined) throw bug;
    return resultOf(stage, hasEnded);
  } finally {
    await stage.cluster.stop();
  }
}

/** The change is made, and pools that are not paused are let go. */
async function beginRollout({ cluster, timeline }: Stage, options: RehearsalOptions): Promise<void> {
  const { kube, clock, settled } = cluster;
  const { whatIfs, change, pausedPools, maxUnavailable } = options;
  beginDown(cluster, whatIfs);
  // Until a kubelet that reports no more is taken to be gone.
  if (whatIfs.some(({ kind }) => kind === 'node-down')) await clock.advance(MINUTE_MS);
  timeline.begin();
  beginFaults(cluster, whatIfs);
  await settled(makeChange(kube, change));
  const { items } = await settled(kube.list(machineConfigPoolKind));
  for (const { metadata } of items) {
    const paused = pausedPools.has(metadata.name);
    const body = { spec: { paused, ...(maxUnavailable === undefined ? {} : { maxUnavailable }) } };
    await settled(kube.patch(machineConfigPoolKind, { name: metadata.name }, { type: 'merge', body }));
  }
}

/** Returns whether it has come to its end. */
async function followRollout(
  { cluster, timeline, machineTimes }: Stage,
  { whatIfs }: RehearsalOptions,
  onProgress: (progress: RehearsalProgress) => void,
): Promise<boolean> {
  const stallMs = stallLimitMs(machineTimes);
  const lengthMs = lengthLimitMs(machineTimes, whatIfs);
  let crashedMs: number | undefined;
  while (timeline.elapsedMs < lengthMs) {
    await cluster.clock.advance(LOOK_MS);
    const counts = timeline.counts();
    onProgress({ ...counts, elapsedMs: timeline.elapsedMs });
    if (crashedMs === undefined && counts.sent > 0) {
      crashedMs = timeline.elapsedMs;
      crashControllers(cluster, whatIfs);
    }
    const { elapsedMs, lastProgressMs } = timeline;
    if (timeline.isOver() && elapsedMs - lastProgressMs >= QUIET_MS) return true;
    const waitedMs = elapsedMs - Math.max(lastProgressMs, faultsEndMs(whatIfs, crashedMs));
    if (waitedMs >= stallMs) return false;
  }
  return false;
}

function resultOf(stage: Stage, hasEnded: boolean): Rehearsal {
  const { timeline, problems, cluster } = stage;
  const pools = timeline.pools();
  const updatedMs = pools.map((pool) => (pool.nodes === 0 ? 0 : (pool.updatedMs ?? 0)));
  return {
    ...{ seed: cluster.seed, hasEnded, pools, nodes: timeline.nodes(), problems },
    durationMs: hasEnded ? Math.max(0, ...updatedMs) : timeline.lastProgressMs,
    ...(hasEnded ? {} : { diagnosis: diagnosisOf(stage) }),
  };
}

/** Leases and workloads of the components are left out: here no kubelet runs them. */
const DIAGNOSED = [...kinds, nodeKind, podKind, podDisruptionBudget];
const decoder = new TextDecoder();

/** As `millwright doctor` would name it. */
function diagnosisOf({ cluster: { store, clock } }: Stage): Diagnosis {
  const objects = DIAGNOSED.flatMap((kind) => {
    const page = store.range({ prefix: `${kind.group}/${kind.plural}/` });
    const entries = page.kind === 'page' ? page.entries : [];
    return entries.map(
      ({ value }): SnapshotObject => ({
        ...{ apiVersion: apiVersionOf(kind), kind: kind.kind },
        // The store holds what the server wrote.
        ...(JSON.parse(decoder.decode(value)) as Pick<SnapshotObject, 'metadata'>),
      }),
    );
  });
  const snapshot = clusterSnapshot({ nowMs: clock.now(), objects, kinds: DIAGNOSED.map(kindKey) });
  return diagnose(snapshot, { namespace: NAMESPACE });
}
