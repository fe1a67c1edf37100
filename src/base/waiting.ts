/**
 * Waiting on the clock of `Env`: with a deadline, with a signal, and with jittered exponential backoff.
 */
import type { Clock, Random } from './env.ts';

/** Longer delays are cut: platform timers overflow, and nothing here waits for more than a day. */
export const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

/** True once the time has passed, false as soon as the signal is aborted. */
export async function sleep(
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

/** The outcome of a promise that is awaited up to a deadline or an abort. */
type Waited<T> =
  | { readonly kind: 'settled'; readonly value: T }
  | { readonly kind: 'late' }
  | { readonly kind: 'aborted' };

type Limits<T> = {
  readonly promise: Promise<T>;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** Rejects as the promise does. After the deadline its outcome is ignored, also when it fails. */
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

/** A backoff. It is a setting, so that a simulated cluster can use shorter delays. */
export type Backoff = {
  readonly baseMs: number;
  readonly factor: number;
  readonly capMs: number;
  /** The jitter: 0.5 waits between half of the delay and all of it. */
  readonly jitter: number;
};

/** The delay after the failure with this number, counted from 0. */
export function delayAfter(backoff: Backoff, failures: number, random: Random): number {
  const { baseMs, factor, capMs, jitter } = backoff;
  const full = Math.min(capMs, baseMs * factor ** failures);
  return full * (1 - jitter * random.next());
}

/**
 * Abort listeners without a limit: the platform takes more than ten listeners on one signal for a leak and warns on
 * stderr, while a program has one signal and many waiters.
 */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls once, immediately if the signal is aborted already. Returns the function that unsubscribes. */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  if (signal.aborted) {
    call();
    return nothing;
  }
  const calls = waiting.get(signal) ?? listen(signal);
  // A function of its own, so that the same callback can be registered twice.
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
