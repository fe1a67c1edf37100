/**
 * One process of a simulation, seen from outside: all calls of its ports go through here, so that it can be killed before or after any
 * of them, or stopped for a while.
 *
 * A killed process never hears of anything again: its calls do not return, its timers do not fire. That is what SIGKILL does, and more than
 * an aborted signal can: no `finally` runs, nothing is flushed.
 */
import type { Clock, Timer } from '../../base/env.ts';

/** Kills the process at a call of a port, counted from now on: the next one is 1. */
export type PlannedKill = {
  readonly call: number;
  /** After: the call has happened, and its answer is lost. */
  readonly side: 'before' | 'after';
};

/** Stops the process before a call of a port, counted as for a kill: what it has decided is done when it goes on. */
export type PlannedStop = { readonly call: number; readonly ms: number };

type GateOptions = {
  readonly clock: Clock;
  /** Called once. */
  readonly onKill: () => void;
};

export class ProcessGate {
  readonly #clock: Clock;
  readonly #onKill: () => void;
  readonly #killed = new AbortController();
  #plan: PlannedKill | undefined;
  #stopPlan: PlannedStop | undefined;
  #calls = 0;
  /** On the monotonic clock. */
  #stoppedUntilMs = 0;
  #skewMs = 0;

  constructor({ clock, onKill }: GateOptions) {
    this.#clock = clock;
    this.#onKill = onKill;
  }

  get isDead(): boolean {
    return this.#killed.signal.aborted;
  }

  /** How many calls of ports there have been. */
  get calls(): number {
    return this.#calls;
  }

  /** Aborted when it is killed, for those who serve it. */
  get killed(): AbortSignal {
    return this.#killed.signal;
  }

  kill(): void {
    if (this.isDead) return;
    this.#killed.abort();
    this.#onKill();
  }

  planKill({ call, side }: PlannedKill): void {
    this.#plan = { call: this.#calls + call, side };
  }

  planStop({ call, ms }: PlannedStop): void {
    this.#stopPlan = { call: this.#calls + call, ms };
  }

  /** As SIGSTOP, and SIGCONT after a while. */
  stop(ms: number): void {
    this.#stoppedUntilMs = Math.max(this.#stoppedUntilMs, this.#clock.monotonic() + ms);
  }

  /** Sets its wall clock. */
  skew(ms: number): void {
    this.#skewMs = ms;
  }

  /** A call of a port. */
  async pass<T>(call: () => Promise<T>): Promise<T> {
    await this.#whileStopped();
    if (this.isDead) return await never();
    this.#calls += 1;
    if (this.#stopPlan?.call === this.#calls) {
      this.stop(this.#stopPlan.ms);
      await this.#whileStopped();
    }
    const side = this.#plan?.call === this.#calls ? this.#plan.side : undefined;
    if (side === 'before') {
      this.kill();
      return await never();
    }
    try {
      const result = await call();
      await this.#return(side);
      return result;
    } catch (error) {
      await this.#return(side);
      throw error;
    }
  }

  async #return(side: PlannedKill['side'] | undefined): Promise<void> {
    if (side === 'after') this.kill();
    await this.#whileStopped();
    if (this.isDead) await never();
  }

  /** What reaches the process without being asked for: a change on its disk, a piece of a response. */
  hear(call: () => void): void {
    if (this.isDead) return;
    const leftMs = this.#stoppedUntilMs - this.#clock.monotonic();
    if (leftMs <= 0) call();
    else this.#clock.after(leftMs, () => this.hear(call));
  }

  /** The clock of the process. */
  clock(): Clock {
    return {
      now: () => this.#clock.now() + this.#skewMs,
      monotonic: () => this.#clock.monotonic(),
      pause: () => this.#clock.pause(),
      after: (delayMs, call) => this.#after(delayMs, call),
    };
  }

  #after(delayMs: number, call: () => void): Timer {
    let isCancelled = false;
    const timer = this.#clock.after(delayMs, () =>
      this.hear(() => {
        if (!isCancelled) call();
      }),
    );
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  async #whileStopped(): Promise<void> {
    for (;;) {
      const leftMs = this.#stoppedUntilMs - this.#clock.monotonic();
      if (leftMs <= 0 || this.isDead) return;
      await new Promise<void>((resolve) => {
        this.#clock.after(leftMs, resolve);
      });
    }
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
