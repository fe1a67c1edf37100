/**
 * What many rehearsals of a change say together: how long, in what order, and what is in the way. Pure.
 */
import { compareBytes } from '../../base/json.ts';
import type { Finding } from '../../insight/index.ts';
import { type Band, bandOf } from './bands.ts';
import type { Rehearsal } from './rehearse.ts';
import type { NodeTimeline } from './rollout-timeline.ts';

export type Forecast = {
  readonly runs: number;
  /** How many of them came to their end. */
  readonly ended: number;
  /** `none`: no node moves. `blocked`: in at least one run nodes are left that should have moved, or their pool is paused. */
  readonly outcome: 'none' | 'ends' | 'blocked';
  /** Of the runs that ended. */
  readonly durationMs?: Band;
  /** By name; those with nodes. */
  readonly pools: readonly PoolForecast[];
  /** In the order of the run that is shown. */
  readonly nodes: readonly NodeForecast[];
  /** Pods whose eviction was refused: longest first. */
  readonly refusals: readonly RefusalForecast[];
  readonly failures: readonly FailureForecast[];
  /** What blocks where a run does not end, as `millwright doctor` would name it then. */
  readonly blockers: readonly BlockerForecast[];
  /** One of middle length. */
  readonly shown: Rehearsal;
  /** Nodes that could not be simulated, and why. */
  readonly problems: readonly string[];
};

export type PoolForecast = {
  readonly name: string;
  readonly nodes: number;
  /** Of the run that is shown. */
  readonly sent: number;
  readonly isPaused: boolean;
  /** Nodes that do not have its config at the end of at least one run. */
  readonly unfinished: readonly string[];
  /** Absent where it is never done, and where no node moves. */
  readonly durationMs?: Band;
};

type NodeForecast = {
  readonly name: string;
  readonly pool: string;
  readonly zone?: string;
  readonly isRebooted: boolean;
  readonly sentMs: Band;
  /** Absent where it is never done. */
  readonly doneMs?: Band;
};

export type RefusalForecast = {
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
  readonly budget?: string;
  /** In how many runs. */
  readonly runs: number;
  readonly waitMs: Band;
};

type FailureForecast = { readonly node: string; readonly reason: string; readonly runs: number };

export type BlockerForecast = Pick<Finding, 'code' | 'cause' | 'about' | 'pools' | 'next'> & {
  readonly runs: number;
};

/** At least one run. */
export function forecastOf(rehearsals: readonly [Rehearsal, ...Rehearsal[]]): Forecast {
  const shown = middleOf(rehearsals);
  const ended = rehearsals.filter(({ hasEnded }) => hasEnded);
  const pools = poolsOf(rehearsals, shown);
  const isHeld = pools.some(({ unfinished }) => unfinished.length > 0);
  const isMoving = rehearsals.some(({ nodes }) => nodes.length > 0);
  const isBlocked = ended.length < rehearsals.length || isHeld;
  return {
    ...{ runs: rehearsals.length, ended: ended.length, pools, shown },
    outcome: isBlocked ? 'blocked' : isMoving ? 'ends' : 'none',
    ...optional('durationMs', isMoving ? bandOf(ended.map(({ durationMs }) => durationMs)) : undefined),
    nodes: shown.nodes.map((node) => nodeForecast(node, rehearsals)),
    refusals: refusalsOf(rehearsals),
    failures: failuresOf(rehearsals),
    blockers: blockersOf(rehearsals),
    problems: [...new Set(rehearsals.flatMap(({ problems }) => problems))],
  };
}

/** One that did not end counts as the longest. */
function middleOf(rehearsals: readonly [Rehearsal, ...Rehearsal[]]): Rehearsal {
  const sorted = rehearsals.toSorted(
    (a, b) => Number(b.hasEnded) - Number(a.hasEnded) || a.durationMs - b.durationMs || a.seed - b.seed,
  );
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? rehearsals[0];
}

function poolsOf(rehearsals: readonly Rehearsal[], shown: Rehearsal): readonly PoolForecast[] {
  return shown.pools
    .filter(({ nodes }) => nodes > 0)
    .toSorted((a, b) => compareBytes(a.name, b.name))
    .map(({ name, nodes, isPaused }) => {
      const own = rehearsals.flatMap((run) => run.pools.filter((one) => one.name === name));
      const updated = own.flatMap(({ updatedMs }) => updatedMs ?? []);
      const unfinished = [...new Set(own.flatMap((one) => one.unfinished))];
      const sent = shown.nodes.filter(({ pool }) => pool === name).length;
      return {
        ...{ name, nodes, sent, isPaused, unfinished },
        ...optional('durationMs', sent === 0 ? undefined : bandOf(updated)),
      };
    });
}

function nodeForecast(
  { name, pool, zone, isRebooted, sentMs, doneMs }: NodeTimeline,
  rehearsals: readonly Rehearsal[],
): NodeForecast {
  const own = rehearsals.flatMap(({ nodes }) => nodes.find((one) => one.name === name) ?? []);
  const sent = bandOf(own.map((one) => one.sentMs)) ?? { p10: sentMs, p50: sentMs, p90: sentMs };
  return {
    ...{ name, pool, isRebooted, sentMs: sent },
    ...optional('zone', zone),
    ...optional('doneMs', doneMs === undefined ? undefined : bandOf(own.flatMap((one) => one.doneMs ?? []))),
  };
}

/** Shorter ones are part of every drain: a replacement starts meanwhile. */
const WORTH_MENTIONING_MS = 15_000;

function refusalsOf(rehearsals: readonly Rehearsal[]): readonly RefusalForecast[] {
  type Known = { readonly first: Omit<RefusalForecast, 'runs' | 'waitMs'>; readonly waits: number[] };
  const known = new Map<string, Known>();
  for (const { nodes } of rehearsals) {
    for (const { name: node, refusals } of nodes) {
      for (const { namespace, pod, budget, fromMs, toMs } of refusals) {
        const key = [node, namespace, pod].join('\n');
        const first = { node, namespace, pod, ...optional('budget', budget) };
        const one = known.get(key) ?? { first, waits: [] };
        one.waits.push(toMs - fromMs);
        known.set(key, one);
      }
    }
  }
  return [...known.values()]
    .flatMap(({ first, waits }) => {
      const waitMs = bandOf(waits);
      return waitMs === undefined ? [] : [{ ...first, runs: waits.length, waitMs }];
    })
    .filter(({ waitMs }) => waitMs.p90 >= WORTH_MENTIONING_MS)
    .toSorted((a, b) => b.waitMs.p50 - a.waitMs.p50 || compareBytes(a.node, b.node));
}

function failuresOf(rehearsals: readonly Rehearsal[]): readonly FailureForecast[] {
  const all = rehearsals.flatMap(({ nodes }) =>
    nodes.flatMap(({ name, failures }) => {
      const [last] = failures.slice(-1);
      return last === undefined ? [] : [{ node: name, reason: last.reason }];
    }),
  );
  return countedBy(all, ({ node, reason }) => `${node}\n${reason}`);
}

function blockersOf(rehearsals: readonly Rehearsal[]): readonly BlockerForecast[] {
  const all = rehearsals.flatMap(({ diagnosis }) => {
    const findings = [diagnosis?.top ?? [], diagnosis?.others ?? []].flat();
    return findings
      .filter(({ severity }) => severity === 'blocks')
      .map(({ code, cause, about, pools, next }) => ({ code, cause, about, pools, next }));
  });
  return countedBy(all, ({ code, about }) => [code, about.kind, about.namespace, about.name].join('\n'));
}

/** The first of each key, and how many there are. */
function countedBy<T>(
  all: readonly T[],
  keyOf: (one: T) => string,
): readonly (T & { readonly runs: number })[] {
  const known = new Map<string, T & { readonly runs: number }>();
  for (const one of all) {
    const before = known.get(keyOf(one));
    known.set(keyOf(one), { ...(before ?? one), runs: (before?.runs ?? 0) + 1 });
  }
  return [...known.values()];
}

function optional<Key extends string, T>(key: Key, value: T | undefined): { readonly [key in Key]?: T } {
  // The key is the one that the type names.
  return value === undefined ? {} : ({ [key]: value } as { [key in Key]: T });
}
