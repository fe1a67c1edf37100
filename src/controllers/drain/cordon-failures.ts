/**
 * What follows from a cordon or uncordon that the server does not accept. A refusal is reported at once, an error of the
 * server only if it persists: the request may succeed a moment later.
 */
import { isConflict, isNotFound, KubeError } from '../../kubernetes/client/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';

/** As often upstream tries before it reports a failure. */
const TRIES = 5;

export class CordonFailures {
  /** By node: the number of failures since the last success. Losing it delays a report. */
  readonly #failures = new Map<string, number>();

  succeeded({ metadata }: Node): void {
    this.#failures.delete(metadata.name);
  }

  /** The number of tries with which the error is to be reported; `undefined` where it is not, or not yet. */
  triesToReport({ metadata: { name } }: Node, error: unknown): number | undefined {
    // The node has changed, or is gone: no reason why it cannot be cordoned.
    const isChanged = isConflict(error) || isNotFound(error, name);
    if (isChanged || !(error instanceof KubeError)) return undefined;
    if (error.kind === 'stalled') return 1;
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    return failures >= TRIES ? TRIES : undefined;
  }
}
