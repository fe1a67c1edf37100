/**
 * A token bucket: a burst, then a rate per second.
 */
import type { Clock } from '../../base/env.ts';

export type Rate = {
  readonly perSecond: number;
  /** The size of the bucket. */
  readonly burst: number;
};

export class TokenBucket {
  readonly #rate: Rate;
  readonly #clock: Clock;
  /** Negative by the tokens that are waited for. */
  #tokens: number;
  #countedAt: number;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#countedAt = clock.monotonic();
  }

  /** Takes a token in any case, and returns how long to wait before using it. First come, first served. */
  reserve(): number {
    this.#refill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#rate.perSecond) * 1000;
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    const gained = ((now - this.#countedAt) / 1000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + gained);
    this.#countedAt = now;
  }
}
