/**
 * Notices that the process did not run for a while: stopped by a signal, on a suspended machine, or blocked by itself.
 *
 * Afterwards all timers are late at once, and everything that others should have done meanwhile seems overdue, although they
 * may have slept as well. Who judges others by elapsed time asks here how much of it was missed.
 *
 * Both clocks are compared: the monotonic one may stop while a machine sleeps, and the wall clock may be set. A wall clock that
 * is set forward looks like a pause; the time that it skips has not been waited either.
 */
import type { Clock, Timer } from './env.ts';
import { onAbort } from './waiting.ts';

type Pause = {
  /** When the process last ran, by the wall clock. */
  readonly fromMs: number;
  readonly missedMs: number;
};

type PausesOptions = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** The interval of the beats that show that the process runs. */
const BEAT_MS = 5_000;
/** How late a beat may be. A busy machine delays timers by seconds. */
const LATE_MS = 10_000;
/** The pauses that are remembered. */
const MAX_PAUSES = 100;

export class Pauses {
  readonly #clock: Clock;
  readonly #pauses: Pause[] = [];
  readonly #listeners: ((missedMs: number) => void)[] = [];
  #last: { readonly wallMs: number; readonly monotonicMs: number };
  #timer: Timer | undefined;

  constructor({ clock, signal }: PausesOptions) {
    this.#clock = clock;
    this.#last = this.#now();
    onAbort(signal, () => {
      this.#timer?.cancel();
      this.#timer = undefined;
    });
    if (!signal.aborted) this.#beat(signal);
  }

  /** Called with the missed time of each pause, before anything that `missedSinceMs` is asked for. */
  onPause(listener: (missedMs: number) => void): void {
    this.#listeners.push(listener);
  }

  /** How much of the time since then this process has missed. */
  missedSinceMs(wallMs: number): number {
    this.look();
    return this.#pauses.reduce((sum, pause) => sum + missedOf(pause, wallMs), 0);
  }

  /** Notices a pause that has just ended: late timers fire in any order. */
  look(): void {
    const now = this.#now();
    const elapsedMs = Math.max(now.wallMs - this.#last.wallMs, now.monotonicMs - this.#last.monotonicMs);
    const { wallMs: fromMs } = this.#last;
    this.#last = now;
    const missedMs = elapsedMs - BEAT_MS;
    if (missedMs <= LATE_MS) return;
    this.#pauses.push({ fromMs, missedMs });
    if (this.#pauses.length > MAX_PAUSES) this.#pauses.shift();
    for (const listener of this.#listeners) listener(missedMs);
  }

  #beat(signal: AbortSignal): void {
    this.#timer = this.#clock.after(BEAT_MS, () => {
      this.look();
      if (!signal.aborted) this.#beat(signal);
    });
  }

  #now() {
    return { wallMs: this.#clock.now(), monotonicMs: this.#clock.monotonic() };
  }
}

/** The part of a pause after a point in time, which may be in the middle of it: written by another process. */
function missedOf({ fromMs, missedMs }: Pause, sinceMs: number): number {
  return Math.min(missedMs, Math.max(0, fromMs + missedMs - sinceMs));
}
