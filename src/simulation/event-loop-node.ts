/**
 * The one thing of the machine that a simulation needs: the end of everything that goes on without a timer.
 */

/** Resolves once all microtasks have run, those included that they have queued. */
export function microtasksDone(): Promise<void> {
  // Node runs all microtasks, including new ones, before this callback.
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
