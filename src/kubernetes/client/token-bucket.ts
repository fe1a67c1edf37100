/**
 * So many at once, then so many a second: a guard against ourselves, not a way to pace work.
 */
import type { Clock } from '../../base/env.ts';

export type Rate = {
  readonly perSecond: number;
  /** How many may come at once after a quiet time. */
  readonly burst: number;
};

export class TokenBucket {
  readonly #rate: Rate;
  readonly #clock: Clock;
  /** Below zero by what others already wait for. */
  #tokens: number;
  #countedAt: number;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#countedAt = clock.monotonic();
  }

  /** Takes one in any case, and says how long to wait before using it. Who asked first waits least. */
  reserve(): number {
    this.#refill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#rate.perSecond) * 1000;
  }

  /** Takes one if there is one. */
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
