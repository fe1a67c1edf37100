/**
 * When an OS image is downloaded, and when one is removed. Pure.
 *
 * Of an update in progress, before the drain:
 *
 *     begin-fetch ─> wait ─┬─> complete-fetch ─> (drain)
 *          ^               └─> record-failed-fetch ─> (wait, or roll back)
 *          └───────────────────────────┘
 *
 * Ahead of an update, where the node controller asks for it (`fetch-image`): the same, and `fetched-image` is the answer. A
 * failure is only logged and retried: the node is not degraded by an update that it was not sent to.
 *
 * On the disk a note names the image from before its download begins: what a daemon that was killed has downloaded is known, and
 * removed where it is not wanted any more.
 */
import type { FetchState } from './fetcher.ts';

/** Until it is decided again although nothing has changed: long, as the end of a download wakes the daemon. */
const FETCH_CHECK_MS = 5 * 60_000;

export type FetchDecision =
  | { readonly kind: 'wait'; readonly for: 'fetch' | 'pull'; readonly delayMs: number }
  /** `isFetched`: it was fetched ahead. */
  | {
      readonly kind: 'begin-fetch';
      readonly index: number;
      readonly image: string;
      readonly isFetched: boolean;
    }
  | { readonly kind: 'complete-fetch'; readonly index: number; readonly image: string }
  | {
      readonly kind: 'record-failed-fetch';
      readonly index: number;
      readonly image: string;
      readonly error: string;
    };

type FetchStep = {
  readonly index: number;
  readonly image: string;
  readonly fetch: FetchState | undefined;
  /** Until a failed download is retried; not positive where it may be now. */
  readonly waitMs: number;
  readonly answered: string;
};

export function decideFetchStep({ index, image, fetch, waitMs, answered }: FetchStep): FetchDecision {
  if (fetch?.image === image) {
    const { outcome } = fetch;
    if (outcome === undefined) return { kind: 'wait', for: 'fetch', delayMs: FETCH_CHECK_MS };
    if (outcome.kind === 'fetched') return { kind: 'complete-fetch', index, image };
    return { kind: 'record-failed-fetch', index, image, error: outcome.error };
  }
  if (waitMs > 0) return { kind: 'wait', for: 'pull', delayMs: waitMs };
  return { kind: 'begin-fetch', index, image, isFetched: answered === image };
}

type FetchAheadDecision =
  | { readonly kind: 'none' }
  | { readonly kind: 'wait'; readonly delayMs: number }
  /** What is on the disk is not wanted, or no longer. */
  | { readonly kind: 'drop' }
  | { readonly kind: 'begin'; readonly image: string }
  /** Empty: nothing is fetched. */
  | { readonly kind: 'answer'; readonly image: string }
  | { readonly kind: 'postpone'; readonly image: string; readonly error: string };

type FetchAhead = {
  /** `fetch-image` and `fetched-image`; empty where absent. */
  readonly requested: string;
  readonly answered: string;
  /** The note on the disk. */
  readonly noted: string | undefined;
  readonly fetch: FetchState | undefined;
  readonly waitMs: number;
};

/** For a node that has its desired config. What is running for another image has been stopped before. */
export function decideFetchAhead({
  requested,
  answered,
  noted,
  fetch,
  waitMs,
}: FetchAhead): FetchAheadDecision {
  // A note that cannot be read is of an unknown image.
  if (noted !== undefined && (noted === '' || noted !== requested)) return { kind: 'drop' };
  if (answered !== '' && answered !== requested) return { kind: 'answer', image: '' };
  if (requested === '' || answered === requested) return { kind: 'none' };
  if (fetch?.image !== requested) {
    return waitMs > 0 ? { kind: 'wait', delayMs: waitMs } : { kind: 'begin', image: requested };
  }
  const { outcome } = fetch;
  if (outcome === undefined) return { kind: 'wait', delayMs: FETCH_CHECK_MS };
  if (outcome.kind === 'fetched') return { kind: 'answer', image: requested };
  return { kind: 'postpone', image: requested, error: outcome.error };
}

/**
 * Whether a download has to end before the daemon goes on. One of the node's own update, and one that was begun ahead of it, go
 * on; `isStarting`: which image the update needs is not known yet.
 */
export function isFetchObsolete(
  fetch: FetchState | undefined,
  { isStarting, wanted }: { readonly isStarting: boolean; readonly wanted: string },
): boolean {
  return fetch !== undefined && !isStarting && fetch.image !== wanted;
}
