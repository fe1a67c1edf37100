/**
 * Waiting, as the loops of this module do it: on the clock of `Env`, and never longer than somebody cares.
 */
import type { Clock } from '../env.ts';
import { onAbort } from './on-abort.ts';

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
export type Waited<T> =
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

function nothing(): void {}
