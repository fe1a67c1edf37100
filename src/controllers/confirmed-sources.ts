/**
 * Confirms that caches show at least what the server had when a pool was found pending. An unpause may arrive before the
 * change of a source that was made earlier: each cache lags by itself.
 *
 * A confirmation serves all pools that became pending before it began.
 */
import { type CachedResource, hasCaughtUp, type Kube } from '../kubernetes/client/index.ts';

export class ConfirmedSources {
  /** By source: the number of changes when its last successful confirmation began. */
  readonly #confirmed: Map<CachedResource, number>;

  constructor(sources: readonly CachedResource[]) {
    this.#confirmed = new Map(sources.map((source) => [source, -1]));
  }

  /** `changes`: how many there were until now (`PendingRenders.total`). False where a cache lags. */
  async confirm(kube: Pick<Kube, 'list'>, changes: number): Promise<boolean> {
    const due = [...this.#confirmed].filter(([, confirmed]) => confirmed < changes);
    const outcomes = await Promise.allSettled(
      due.map(async ([source]) => {
        const isShown = await hasCaughtUp(kube, source);
        if (isShown) this.#confirmed.set(source, Math.max(changes, this.#confirmed.get(source) ?? -1));
        return isShown;
      }),
    );
    // A failure of one request must not repeat the others.
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value);
  }
}
