/** Cancellation checks between the steps of long operations. */
import { Failure } from '../../base/errors.ts';

/** Throws a cancelled `Failure` once the signal is aborted. */
export function throwIfStopped({ signal }: { readonly signal?: AbortSignal }): void {
  if (signal?.aborted === true) throw new Failure('cancelled', 'Stopped', 'stopped');
}
