/**
 * `millwright simulate` without its command line: a snapshot of a cluster and a change, rehearsed with several seeds.
 */
import {
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  SANDBOX_TIMES_CONFIG_MAP,
} from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import { counted } from '../../base/text/index.ts';
import { generationOf } from '../../config/generate/index.ts';
import type { Release } from '../../controllers/index.ts';
import { type ClusterSnapshot, changeSnapshot, type SnapshotChange } from '../../insight/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import { configMap as configMapKind, node as nodeKind } from '../../kubernetes/types/index.ts';
import { installOnce } from '../installation-node.ts';
import { type ChangedObject, changedObjects } from './applied-change.ts';
import { assumedTimes, rebootHistory, type TimeSource } from './assumed-times.ts';
import { type Forecast, forecastOf } from './forecast.ts';
import { type LeftOut, leftOutOf } from './left-out.ts';
import { modelledNodes } from './modelled-choice.ts';
import { type RehearsalProgress, rehearse } from './rehearse.ts';
import { type RehearsedCluster, rehearsedCluster } from './rehearsed-cluster.ts';
import type { WhatIf } from './what-ifs.ts';

type SimulationOptions = {
  readonly snapshot: ClusterSnapshot;
  readonly change: SnapshotChange;
  /** Of the components, in the real cluster. */
  readonly namespace: string;
  readonly maxUnavailable?: number | string | undefined;
  readonly nodeMinutes?: number | undefined;
  readonly whatIfs: readonly WhatIf[];
  /** How many rehearsals; by default as many as take a bearable time. */
  readonly seeds?: number | undefined;
  readonly release: Release;
  readonly templates: ReadonlyMap<string, string>;
  /** The folder of the manifests of the package. */
  readonly manifests: string;
  readonly onProgress?: ((progress: SimulationProgress) => void) | undefined;
};

export type SimulationProgress = RehearsalProgress & { readonly run: number; readonly runs: number };

export type Simulation = Forecast & {
  readonly times: TimeSource;
  /** What was taken to be otherwise than it is. */
  readonly notes: readonly string[];
  /** Of the change, what is not rehearsed. */
  readonly leftOut: readonly LeftOut[];
};

/** Throws a `KubeError` where the change is refused by the API server. */
export async function simulateChange(options: SimulationOptions): Promise<Simulation> {
  const { snapshot, change, namespace, nodeMinutes, whatIfs, release, templates, maxUnavailable } = options;
  const after = changeSnapshot(snapshot, change);
  const changed = changedObjects(snapshot, change, namespace);
  const cluster = withNamespacesOf(changed, rehearsedCluster({ before: snapshot, after }, namespace));
  const times = assumedTimes({
    nodeMinutes,
    sandboxSpeed: sandboxSpeed(snapshot, namespace),
    nodes: timedNodes(snapshot, cluster),
  });
  const configs = snapshot.all(machineConfigKind);
  const { base } = generationOf(configs, { controllerConfig: undefined, templates, version: '' });
  const paused = after.all(machineConfigPoolKind).filter(({ spec }) => spec.paused === true);
  const rehearsal = {
    ...{ cluster, times, whatIfs, base, release, templates, maxUnavailable },
    installation: await installOnce(options.manifests),
    change: changed,
    pausedPools: new Set(paused.map(nameOf)),
  };
  const runs = options.seeds ?? usualSeeds(cluster.nodes.length);
  const run = (seed: number) =>
    rehearse(seed, rehearsal, (progress) => options.onProgress?.({ ...progress, run: seed, runs }));
  const first = await run(1);
  const others = [];
  for (let seed = 2; seed <= runs; seed++) others.push(await run(seed));
  const leftOut = leftOutOf(snapshot, change);
  const notes = [
    ...leftOut.map(({ object, consequence }) => `${object}: not rehearsed: ${consequence}`),
    ...cluster.notes,
    ...modelledNote(cluster, whatIfs),
  ];
  return { ...forecastOf([first, ...others]), times: times.source, notes, leftOut };
}

/** Namespaces are not read: those that a change names are taken to be there. */
function withNamespacesOf(changed: readonly ChangedObject[], cluster: RehearsedCluster): RehearsedCluster {
  const named = changed.flatMap(({ place }) => place.namespace ?? []);
  const namespaces = [...new Set([...cluster.pods.namespaces, ...named])].sort(compareBytes);
  return { ...cluster, pods: { ...cluster.pods, namespaces } };
}

/** A large cluster differs less from run to run: what is random on one node evens out over many. */
function usualSeeds(nodes: number): number {
  if (nodes <= 100) return 5;
  return nodes <= 400 ? 3 : 1;
}

function modelledNote({ nodes }: RehearsedCluster, whatIfs: readonly WhatIf[]): readonly string[] {
  const { size } = modelledNodes(nodes, whatIfs);
  if (size === 0) return [];
  return [
    `${size} of ${counted(nodes.length, 'node')} are modelled: their daemons plan and report, and no files are written`,
  ];
}

/** Undefined but for the sandboxes of `millwright up`. */
function sandboxSpeed(snapshot: ClusterSnapshot, namespace: string): number | undefined {
  const found = snapshot.get(configMapKind, { name: SANDBOX_TIMES_CONFIG_MAP, namespace });
  const speed = Number(found?.data?.speed ?? Number.NaN);
  return speed > 0 && Number.isFinite(speed) ? speed : undefined;
}

function timedNodes(snapshot: ClusterSnapshot, { nodes }: RehearsedCluster) {
  return nodes.map(({ name, pool }) => {
    const node = snapshot.get(nodeKind, { name });
    return { name, pool, history: node === undefined ? [] : rebootHistory(node) };
  });
}
