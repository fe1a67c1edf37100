/** Waits for a command to be stopped. */
import { onAbort } from '../base/waiting.ts';

/** Resolves once the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve);
  });
}
