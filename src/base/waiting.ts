/**
 * Waiting, as all do it: on the clock of `Env`, never longer than somebody cares, and longer after each failure in a row,
 * never at the same moment as everybody else.
 */
import type { Clock, Random } from './env.ts';

/** Longer ones are cut: timers of the platform run over, and nothing here needs to wait for more than a day. */
export const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

/** True once the time has passed, false as soon as the signal is aborted. */
export async function waited(
  clock: Clock,
  { delayMs, signal }: { readonly delayMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  if (signal.aborted) return false;
  if (delayMs <= 0) return true;
  const outcome = await withinLimit(clock, {
    limitMs: delayMs,
    signal,
    promise: new Promise<never>(() => undefined),
  });
  return outcome.kind === 'late';
}

/** What came of a promise that is waited for no longer than for a while, and no longer than anybody cares. */
type Waited<T> =
  | { readonly kind: 'settled'; readonly value: T }
  | { readonly kind: 'late' }
  | { readonly kind: 'aborted' };

type Limits<T> = {
  readonly promise: Promise<T>;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** Rejects as the promise does. What it does once nobody waits any more is of no interest, not even that it fails. */
export function withinLimit<T>(clock: Clock, { promise, limitMs, signal }: Limits<T>): Promise<Waited<T>> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(Math.min(limitMs, MAX_WAIT_MS), () => settle(() => resolve({ kind: 'late' })));
    let forget = nothing;
    const settle = (act: () => void) => {
      timer.cancel();
      forget();
      act();
    };
    promise.then(
      (value) => settle(() => resolve({ kind: 'settled', value })),
      (error: unknown) => settle(() => reject(error)),
    );
    if (signal !== undefined) forget = onAbort(signal, () => settle(() => resolve({ kind: 'aborted' })));
  });
}

/** How long to wait after a failure. One of these is a setting, so that a simulated cluster can be in more of a hurry. */
export type RetryLadder = {
  readonly baseMs: number;
  readonly factor: number;
  readonly capMs: number;
  /** Which part of a delay is left to chance: 0.5 waits between half of it and all of it. */
  readonly jitter: number;
};

/** The delay after the failure with this number, counted from 0. */
export function delayAfter(ladder: RetryLadder, failures: number, random: Random): number {
  const { baseMs, factor, capMs, jitter } = ladder;
  const full = Math.min(capMs, baseMs * factor ** failures);
  return full * (1 - jitter * random.next());
}

/**
 * Hearing that a signal is aborted, for as many as like: the platform takes more than ten listeners of one signal for a
 * leak and says so on stderr, while a program has one signal and many who wait.
 */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls once, now where the signal is aborted already. Gives the way to call it off. */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  if (signal.aborted) {
    call();
    return nothing;
  }
  const calls = waiting.get(signal) ?? listen(signal);
  // Its own function, so that the same call can be waiting twice.
  const one = () => call();
  calls.add(one);
  return () => calls.delete(one);
}

function listen(signal: AbortSignal): Set<() => void> {
  const calls = new Set<() => void>();
  waiting.set(signal, calls);
  const callAll = () => {
    for (const call of calls) {
      calls.delete(call);
      call();
    }
  };
  signal.addEventListener('abort', callAll, { once: true });
  return calls;
}

function nothing(): void {}
