/**
 * The simulated cluster that a rehearsal takes place on: it stands for the real one as it is before the change.
 *
 *     configs and pools, rendered ─► nodes join with the config that they have ─► pods
 *
 * All pools are paused until the change is made, so that nothing moves before.
 */
import { annotations, machineConfig as machineConfigKind, NAMESPACE } from '../../api/index.ts';
import { Failure, formatProblem } from '../../base/errors.ts';
import { preparePackedContents } from '../../config/content/index.ts';
import type { Base } from '../../config/render/index.ts';
import { type Release, settingsAtSpeed } from '../../controllers/index.ts';
import type { StoreEvent } from '../../embedded/apiserver/index.ts';
import { annotationOf } from '../../kubernetes/meta/index.ts';
import { daemonSettingsAtSpeed } from '../../node/daemon/index.ts';
import { type NodeConfig, readNodeConfig } from '../../node/plan/index.ts';
import { type SimulatedCluster, startCluster } from '../cluster/cluster.ts';
import type { MachineTimes } from '../cluster/machine.ts';
import { imagesOfAnyName, SimulatedRegistry } from '../cluster/os-images.ts';
import type { Installation } from '../installation-node.ts';
import { CALM, INSTANT } from '../network.ts';
import { randomOf } from '../seeded-random.ts';
import type { AssumedTimes } from './assumed-times.ts';
import { modelledNodes } from './modelled-choice.ts';
import { MovedPods } from './moved-pods.ts';
import { LOOK_MS, MINUTE_MS, MOST_REAL_NODES, QUIET_MS, SETTLE_LIMIT_MS } from './rehearsal-limits.ts';
import type { RehearsedCluster, RehearsedNode } from './rehearsed-cluster.ts';
import { podKey } from './rehearsed-pods.ts';
import { RolloutTimeline } from './rollout-timeline.ts';
import { storeObjects } from './stored-objects.ts';
import { slowedTimes, type WhatIf } from './what-ifs.ts';

export type StageOptions = {
  readonly installation: Installation;
  readonly cluster: RehearsedCluster;
  readonly times: AssumedTimes;
  readonly whatIfs: readonly WhatIf[];
  readonly base: Base;
  readonly release: Release;
  readonly templates: ReadonlyMap<string, string>;
};

export type Stage = {
  readonly cluster: SimulatedCluster;
  readonly timeline: RolloutTimeline;
  /** Internal errors: a process ended because our code is wrong. */
  readonly bugs: readonly Error[];
  /** Of the machines of all nodes. */
  readonly machineTimes: readonly MachineTimes[];
  /** Nodes that are not as they should be before the change, and why. */
  readonly problems: readonly string[];
};

/** Pods become ready, and the status of their budgets follows. */
const PODS_MS = MINUTE_MS;

export async function raiseStage(seed: number, options: StageOptions): Promise<Stage> {
  const bugs: Error[] = [];
  const listeners: ((event: StoreEvent) => void)[] = [];
  const cluster = await startEmpty(seed, options, {
    onStored: (event) => {
      for (const listener of listeners) listener(event);
    },
    onBug: (error) => bugs.push(error),
  });
  const { nodes } = options.cluster;
  const timeline = new RolloutTimeline({ placed: nodes, nowMs: () => cluster.clock.monotonic() });
  const names = nodes.map(({ name }) => name);
  const { replacedOnceGone } = options.cluster.pods;
  const pods = new MovedPods({ cluster, names, replacedOnceGone, node: (name) => timeline.node(name) });
  listeners.push(
    (event) => timeline.onStored(event),
    (event) => pods.onStored(event),
  );
  const isRendered = (name: string) => timeline.pool(name)?.spec.configuration?.name !== undefined;
  await untilQuiet(cluster, () => timeline.pools().every(({ name }) => isRendered(name)));
  const timesOf = machineTimesOf(seed, options);
  const problems = await joinNodes({ cluster, timeline, timesOf }, options);
  await runPods(cluster, options.cluster);
  return { cluster, timeline, bugs, problems, machineTimes: names.map(timesOf) };
}

type Listeners = {
  readonly onStored: (event: StoreEvent) => void;
  readonly onBug: (error: Error) => void;
};

async function startEmpty(
  seed: number,
  { installation, cluster, times, base, release, templates }: StageOptions,
  { onStored, onBug }: Listeners,
): Promise<SimulatedCluster> {
  const { nowMs, nodes, pods, units, objects } = cluster;
  const isInstant = nodes.length > MOST_REAL_NODES;
  const started = await startCluster({
    ...{ seed, installation, nodes: [], workloads: [], startMs: wholeSecond(nowMs) },
    observer: { onStored, onBug, onServed: () => undefined, onReboot: () => undefined },
    isInstant,
    times: times.timesOf('', randomOf(seed, 'times')),
    pace: { ...times.pace, becomesReady: (pod) => !pods.unready.has(podKey(pod)) },
    components: { release, templates, settings: { ...settingsAtSpeed(times.speed), base } },
    daemonSettings: daemonSettingsAtSpeed(times.speed),
    registry: new SimulatedRegistry(imagesOfAnyName(units)),
    fill: (store) => storeObjects(store, [...objects, ...namespacesOf(cluster)]),
  });
  // Nobody reads them here.
  started.network.conditions = { ...(isInstant ? INSTANT : CALM), dropsEvents: true };
  return started;
}

/** Timestamps of objects have no parts of a second: runs at other moments of it would differ. */
function wholeSecond(ms: number): number {
  return Math.ceil(ms / 1000) * 1000;
}

function namespacesOf({ pods }: RehearsedCluster) {
  return pods.namespaces
    .filter((name) => name !== NAMESPACE && name !== 'default')
    .flatMap((name) => [
      {
        ...{ apiVersion: 'v1', kind: 'Namespace', status: { phase: 'Active' } },
        metadata: { name, uid: `uid-of-namespace-${name}`, labels: { 'kubernetes.io/metadata.name': name } },
      },
      {
        ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
        metadata: { name: 'default', namespace: name, uid: `uid-of-account-${name}` },
      },
    ]);
}

/** Returns at the limit, too: what is missing then shows in the end. */
async function untilQuiet({ clock }: SimulatedCluster, condition: () => boolean): Promise<void> {
  const untilMs = clock.monotonic() + SETTLE_LIMIT_MS;
  let sinceMs = clock.monotonic();
  while (clock.monotonic() < untilMs && clock.monotonic() - sinceMs < QUIET_MS) {
    await clock.advance(LOOK_MS);
    if (!condition()) sinceMs = clock.monotonic();
  }
}

/** The same for the same seed. */
function machineTimesOf(
  seed: number,
  { times, whatIfs }: Pick<StageOptions, 'times' | 'whatIfs'>,
): (name: string) => MachineTimes {
  return (name) => slowedTimes(times.timesOf(name, randomOf(seed, 'times', name)), name, whatIfs);
}

type Joining = Pick<Stage, 'cluster' | 'timeline'>;

/** Returns what is wrong with some of them. */
async function joinNodes(
  { cluster, timeline, timesOf }: Joining & { readonly timesOf: (name: string) => MachineTimes },
  { cluster: { nodes }, whatIfs }: StageOptions,
): Promise<readonly string[]> {
  const configs = new Map<string, NodeConfig>();
  const absent: string[] = [];
  const modelled = modelledNodes(nodes, whatIfs);
  for (const { name, isUp, node, ...place } of nodes) {
    const config = await installedConfig({ cluster, timeline }, { name, ...place }, configs);
    if (config === undefined) {
      absent.push(`${name}: there is no rendered config for it`);
      continue;
    }
    await storeObjects(cluster.store, [node]);
    const isModelled = modelled.has(name);
    await cluster.settled(cluster.adoptNode({ name, config, isUp, isModelled, times: timesOf(name) }));
  }
  const stateOf = (name: string) => {
    const node = timeline.node(name);
    return node === undefined ? '' : (annotationOf(node, annotations.state) ?? '');
  };
  const joining = nodes.filter(({ name, isUp }) => isUp && timeline.node(name) !== undefined);
  await untilQuiet(cluster, () => joining.every(({ name }) => stateOf(name) !== ''));
  const unwell = joining.filter(({ name }) => stateOf(name) !== 'Done');
  return [...absent, ...unwell.map(({ name }) => `${name}: ${reasonOf(timeline, name)}`)];
}

function reasonOf(timeline: RolloutTimeline, name: string): string {
  const node = timeline.node(name);
  return (node && annotationOf(node, annotations.reason)) || 'its daemon does not report';
}

/** What the disk of a node holds; undefined where its pool has no config and it has none of its own. */
async function installedConfig(
  { cluster, timeline }: Joining,
  { config, formerPool }: Pick<RehearsedNode, 'name' | 'config' | 'formerPool'>,
  known: Map<string, NodeConfig>,
): Promise<NodeConfig | undefined> {
  const name = config ?? timeline.pool(formerPool)?.spec.configuration?.name;
  if (name === undefined || known.has(name)) return known.get(name ?? '');
  const found = await cluster.settled(cluster.kube.get(machineConfigKind, { name }));
  const read = readNodeConfig(found);
  if (read.kind === 'invalid') {
    const problems = read.problems.map(formatProblem).join('; ');
    throw new Failure('stalled', 'ConfigUnreadable', `MachineConfig ${name}: ${problems}`);
  }
  await preparePackedContents(read.value.ignition, () => cluster.clock.pause());
  known.set(name, read.value);
  return read.value;
}

async function runPods({ store, clock }: SimulatedCluster, { pods: given }: RehearsedCluster): Promise<void> {
  const { pods, budgets, sets, daemonSets } = given;
  await storeObjects(store, [...sets, ...daemonSets, ...budgets, ...pods]);
  if (pods.length > 0) await clock.advance(PODS_MS);
}
