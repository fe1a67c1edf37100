/**
 * Which pools are about to be rendered. Their target is known to be old: a node that is sent there now would have to go a
 * second time. So nobody is sent until the pool has its new target, or the window is over and nothing came of it.
 *
 * The render controller gathers changes for a while from the first one on. What it waits for we can see as well as it can.
 */
import type { MachineConfig, MachineConfigPool } from '../api/index.ts';
import type { Clock } from '../base/env.ts';
import { jsonEqual } from '../base/json.ts';
import type { Cache, Change } from '../kubernetes/client/index.ts';
import { selectingPools } from './config-pools.ts';

/** A rendering and its way to us take a moment. */
const MARGIN_MS = 1_000;

export class RenderWindows {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #lengthMs: number;
  readonly #pools: Cache<MachineConfigPool>;
  /** By pool: when its window is over. */
  readonly #overAt = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>, windowMs: number, pools: Cache<MachineConfigPool>) {
    this.#clock = clock;
    this.#lengthMs = windowMs + MARGIN_MS;
    this.#pools = pools;
  }

  onMachineConfig(change: Change<MachineConfig>): void {
    for (const name of selectingPools(change, this.#pools)) this.#open(name);
  }

  onPool({ before, after }: Change<MachineConfigPool>): void {
    const name = (after ?? before)?.metadata.name ?? '';
    if (after === undefined || !jsonEqual(before?.spec.configuration, after.spec.configuration)) {
      this.#overAt.delete(name);
    } else if (!jsonEqual(before?.spec.machineConfigSelector, after.spec.machineConfigSelector)) {
      this.#open(name);
    }
  }

  /** How long the pool's target may still be replaced; 0 where it is not about to be. */
  remainingMs(name: string): number {
    const remainingMs = (this.#overAt.get(name) ?? 0) - this.#clock.monotonic();
    if (remainingMs <= 0) this.#overAt.delete(name);
    return Math.max(0, remainingMs);
  }

  #open(name: string): void {
    if (!this.#overAt.has(name)) this.#overAt.set(name, this.#clock.monotonic() + this.#lengthMs);
  }
}
