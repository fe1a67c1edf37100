/**
 * Times the phases of node updates.
 *
 * A daemon forgets everything with the reboot, so the controller watches. It knows when a phase begins from the first change that
 * shows it, and after a restart from the object itself, to the second.
 */
import type { MachineConfigNode } from '../../api/index.ts';
import type { Clock } from '../../base/env.ts';
import { parseTimestamp } from '../../base/text/index.ts';
import { phaseOf, updatingSince } from '../../insight/index.ts';
import type { Metrics } from '../../kubernetes/metrics/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { PHASE_DURATION, UPDATE_DURATION } from './definitions.ts';

type Progress = {
  readonly pool: string;
  readonly phase: string;
  readonly sinceMs: number;
  readonly updatingSinceMs: number;
};

export class UpdatePhases {
  readonly #clock: Clock;
  readonly #phases: ReturnType<typeof histogramsOf>['phases'];
  readonly #updates: ReturnType<typeof histogramsOf>['updates'];
  /** By node. */
  readonly #progress = new Map<string, Progress>();

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    ({ phases: this.#phases, updates: this.#updates } = histogramsOf(metrics));
  }

  /** To be called on every change of a node or of its record. `pool`: the one that it is in. */
  onChange(name: string, now: NodeNow | undefined): void {
    const before = this.#progress.get(name);
    const next = now === undefined ? undefined : this.#progressOf(now, before);
    if (next === before) return;
    const nowMs = this.#clock.now();
    if (before !== undefined && next?.phase !== before.phase && now !== undefined) {
      const { pool, phase } = before;
      this.#phases.observe({ pool, phase }, secondsBetween(before.sinceMs, nowMs));
      if (next === undefined) this.#updates.observe({ pool }, secondsBetween(before.updatingSinceMs, nowMs));
    }
    if (next === undefined) this.#progress.delete(name);
    else this.#progress.set(name, next);
  }

  /** Of each node that is being updated. */
  readings() {
    return [...this.#progress].map(([node, { pool, phase, sinceMs }]) => ({
      labels: { node, pool, phase },
      value: Math.floor(sinceMs / 1_000),
    }));
  }

  /** Undefined where the node is not being updated; the same object where nothing has changed. */
  #progressOf({ node, record, pool }: NodeNow, before: Progress | undefined): Progress | undefined {
    const updatingSinceMs = parseTimestamp(updatingSince(record));
    if (updatingSinceMs === undefined) return undefined;
    const { phase, since } = phaseOf(node, record);
    if (before?.phase === phase && before.pool === pool) return before;
    // A phase that was there before this process was has the time that its object says.
    const seenMs = before === undefined ? (parseTimestamp(since) ?? updatingSinceMs) : this.#clock.now();
    return { pool, phase, sinceMs: seenMs, updatingSinceMs };
  }
}

type NodeNow = {
  readonly node: Node;
  readonly record: MachineConfigNode | undefined;
  readonly pool: string;
};

function histogramsOf(metrics: Metrics) {
  return { phases: metrics.histogram(PHASE_DURATION), updates: metrics.histogram(UPDATE_DURATION) };
}

/** Clocks may be set back. */
function secondsBetween(fromMs: number, toMs: number): number {
  return Math.max(0, toMs - fromMs) / 1_000;
}
