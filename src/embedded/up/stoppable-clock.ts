/**
 * A clock whose timers can be cancelled all at once, like those of a killed process.
 */
import type { Clock, Timer } from '../../base/env.ts';

export class StoppableClock implements Clock {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #isStopped: boolean = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(delayMs: number, call: () => void): Timer {
    if (this.#isStopped) return { cancel: () => undefined };
    const inner = this.#clock.after(delayMs, () => {
      this.#timers.delete(timer);
      call();
    });
    const timer: Timer = {
      cancel: () => {
        this.#timers.delete(timer);
        inner.cancel();
      },
    };
    this.#timers.add(timer);
    return timer;
  }

  async pause(): Promise<void> {
    await this.#clock.pause();
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of [...this.#timers]) timer.cancel();
  }
}
