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
