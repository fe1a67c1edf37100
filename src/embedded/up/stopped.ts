/** Work that takes a while asks now and then whether anybody still waits for it. */
import { Failure } from '../../base/errors.ts';

/** Throws a `Failure` of the kind `cancelled` once the process is asked to end. */
export function refuseIfStopped({ signal }: { readonly signal?: AbortSignal }): void {
  if (signal?.aborted === true) throw new Failure('cancelled', 'Stopped', 'it was told to stop');
}
