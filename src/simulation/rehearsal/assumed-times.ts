/**
 * How long things take on the nodes of a cluster: from what is known of them.
 *
 *     a sandbox of `millwright up`     its durations are known; the cluster publishes its speed
 *     --node-minutes M                 a reboot takes so long, give or take a fifth
 *     recent updates of the nodes      each node draws from its own, else from those of its pool, else from all
 *     nothing                          a stated default, give or take a fifth
 *
 * Pure, given a stream of randomness.
 */
import type { Random } from '../../base/env.ts';
import { nodeSettings, podEndMs } from '../../embedded/controllers/index.ts';
import { SANDBOX_DURATIONS } from '../../embedded/sandbox/index.ts';
import type { Node, Pod } from '../../kubernetes/types/index.ts';
import { recentUpdates } from '../../node/report/index.ts';
import type { MachineTimes } from '../cluster/machine.ts';
import type { Pace, Span } from '../cluster/pace.ts';
import { pick } from '../seeded-random.ts';

/** Where the times of reboots come from. */
export type TimeSource =
  | { readonly kind: 'sandbox'; readonly speed: number }
  | { readonly kind: 'given'; readonly minutes: number }
  | { readonly kind: 'history'; readonly updates: number; readonly medianMinutes: number }
  | { readonly kind: 'default'; readonly minutes: number };

export type AssumedTimes = {
  readonly source: TimeSource;
  /** Divides the waits of controllers and daemons: 1 but for sandboxes. */
  readonly speed: number;
  readonly pace: Pace;
  /** Of the machine of a node, for one run. */
  readonly timesOf: (name: string, random: Random) => MachineTimes;
};

type TimedNode = { readonly name: string; readonly pool: string; readonly history: readonly number[] };

type Knowledge = {
  /** Of the sandboxes of `millwright up`. */
  readonly sandboxSpeed?: number | undefined;
  readonly nodeMinutes?: number | undefined;
  readonly nodes: readonly TimedNode[];
};

/** Between a virtual machine, which takes one, and a large server, which takes ten. */
export const DEFAULT_NODE_MINUTES = 5;
const MINUTE = 60_000;
const SECOND = 1_000;
/** How far reboots differ where nothing else is known. */
const SPREAD = 0.2;
const SHUT_DOWN_MS = 10 * SECOND;
/** Of an OS image: its download, and its deployment on the disk. */
const PULL_MS = MINUTE;
const STAGE_MS = 30 * SECOND;
/** Most pods end long before their grace period does. */
const MOST_POD_END_MS = 30 * SECOND;
/** What an update takes beside its reboot: the rest of a recorded one. */
const REST_MS = 20 * SECOND;
const LEAST_BOOT_MS = 5 * SECOND;

const REAL_PACE: Pace = {
  kubeletStartMs: [2 * SECOND, 8 * SECOND],
  daemonStartMs: [SECOND, 5 * SECOND],
  podStartMs: [2 * SECOND, 15 * SECOND],
  podEndMs: ({ spec }) => {
    const graceMs = (spec.terminationGracePeriodSeconds ?? 30) * SECOND;
    return [Math.min(SECOND, graceMs), Math.min(MOST_POD_END_MS, graceMs)];
  },
};

/** How long the updates of a node that rebooted it have taken, in milliseconds. */
export function rebootHistory(node: Node): readonly number[] {
  return recentUpdates(node).flatMap(({ rebooted, seconds }) => (rebooted ? [seconds * SECOND] : []));
}

export function assumedTimes({ sandboxSpeed, nodeMinutes, nodes }: Knowledge): AssumedTimes {
  if (nodeMinutes !== undefined) {
    const speed = sandboxSpeed ?? 1;
    const pace = sandboxSpeed === undefined ? REAL_PACE : sandboxPace(sandboxSpeed);
    return {
      ...{ source: { kind: 'given', minutes: nodeMinutes }, speed, pace },
      timesOf: (_, random) => timesFor(spread(nodeMinutes * MINUTE, random), pace),
    };
  }
  if (sandboxSpeed !== undefined) return sandboxTimes(sandboxSpeed);
  const all = nodes.flatMap(({ history }) => history);
  if (all.length === 0) {
    return {
      ...{ source: { kind: 'default', minutes: DEFAULT_NODE_MINUTES }, speed: 1, pace: REAL_PACE },
      timesOf: (_, random) => timesFor(spread(DEFAULT_NODE_MINUTES * MINUTE, random), REAL_PACE),
    };
  }
  const samplesOf = samplesBy(nodes, all);
  const medianMinutes = (all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0) / MINUTE;
  return {
    ...{ source: { kind: 'history', updates: all.length, medianMinutes }, speed: 1, pace: REAL_PACE },
    timesOf: (name, random) => timesFor((pick(random, samplesOf(name)) ?? 0) - REST_MS, REAL_PACE),
  };
}

/** Few nodes have more than a few updates behind them: where a node has none, others of its pool stand for it. */
function samplesBy(nodes: readonly TimedNode[], all: readonly number[]): (name: string) => readonly number[] {
  const own = new Map(nodes.map((node) => [node.name, node]));
  const ofPool = new Map<string, number[]>();
  for (const { pool, history } of nodes) ofPool.set(pool, [...(ofPool.get(pool) ?? []), ...history]);
  return (name) => {
    const node = own.get(name);
    const found = [node?.history ?? [], ofPool.get(node?.pool ?? '') ?? [], all];
    return found.find((samples) => samples.length > 0) ?? all;
  };
}

function spread(ms: number, random: Random): number {
  return ms * (1 - SPREAD + 2 * SPREAD * random.next());
}

/** `rebootMs`: from the request to reboot until the kubelet reports. */
function timesFor(rebootMs: number, { kubeletStartMs }: Pace): MachineTimes {
  const shutDownMs = Math.min(SHUT_DOWN_MS, rebootMs / 4);
  const bootMs = Math.max(LEAST_BOOT_MS, rebootMs - shutDownMs - middle(kubeletStartMs));
  return { bootMs, shutDownMs, pullMs: PULL_MS, stageMs: STAGE_MS };
}

function middle([from, to]: Span): number {
  return (from + to) / 2;
}

function sandboxTimes(speed: number): AssumedTimes {
  const { bootMs, shutDownMs, pullMs, stageMs } = SANDBOX_DURATIONS;
  const times = { bootMs, shutDownMs, pullMs, stageMs };
  const divided = Object.entries(times).map(([name, ms]) => [name, ms / speed]);
  return {
    ...{ source: { kind: 'sandbox', speed }, speed, pace: sandboxPace(speed) },
    // The same names with other numbers.
    timesOf: () => Object.fromEntries(divided) as MachineTimes,
  };
}

/** What a daemon does on a sandbox is real work, on a disk of this machine: no speed divides it. */
const SANDBOX_CALL_MS = 0.6;

/** As the kubelets of `millwright up`: they report at once, and start what runs on them. */
function sandboxPace(speed: number): Pace {
  const settings = nodeSettings({ speed });
  const { podPullMs, podStartMs, podJitter } = settings;
  const around = (ms: number): Span => [ms * (1 - podJitter), ms * (1 + podJitter)];
  return {
    hostCallMs: SANDBOX_CALL_MS,
    kubeletStartMs: [0, 0],
    daemonStartMs: around(podStartMs),
    podStartMs: around(podPullMs + podStartMs),
    podEndMs: (pod: Pod) => {
      const { endMs } = podEndMs(pod, settings);
      return [endMs, endMs];
    },
  };
}
