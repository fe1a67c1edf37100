/**
 * Where the API server keeps its objects: a port with two implementations, one in memory (`memory-store.ts`, for
 * simulation) and one that survives the process (`store-node.ts`). Both pass `store-contract.ts`.
 *
 *     commit ──> queue ──> plan ──> persist ──> show ──> publish ──> the promise resolves
 *                (groups)  (pure)   (durable)   (reads)  (events)
 *
 * A key is a text, a value is bytes, and one counter, the revision, moves through all of them: each write takes
 * the next one, the writes of a transaction take neighbours. An object's revision is its `resourceVersion`.
 *
 * What a caller may rely on:
 * - A transaction happens wholly or not at all, and only if every expectation of it holds.
 * - A commit that has resolved is durable. Nothing is seen, by a read or a subscriber, before that.
 * - Reads are synchronous and see one state: the one at `revision()`.
 * - A subscriber receives every event after the revision that it names, once, in order of revision.
 * - A bounded log of the latest events remembers what was overwritten. As far back as it reaches, a range can be
 *   read as it was and a subscription can begin; further back the answer is `compacted`.
 *
 * Not here: JSON, kinds, namespaces and HTTP; who waits how long, and what becomes of a watcher that is too slow.
 */

/** Counts writes. 0 is the empty store; it never goes back, not even over a restart. */
export type Revision = number;

export type Entry = {
  readonly key: string;
  /** Owned by the store: must not be modified. */
  readonly value: Uint8Array;
  /** The revision of its last write. */
  readonly revision: Revision;
};

/** `absent`: there is no such key. A revision: the entry is still the one that was read. */
export type Write =
  | {
      readonly kind: 'put';
      readonly key: string;
      readonly expect: Revision | 'absent' | 'any';
      readonly value: Uint8Array;
    }
  /** There must be something to delete: on an absent key a delete is a conflict, whatever it expects. */
  | { readonly kind: 'delete'; readonly key: string; readonly expect: Revision | 'any' };

export type CommitResult =
  /** `revision` is that of the last write; those before it have the revisions just below. */
  | { readonly kind: 'committed'; readonly revision: Revision }
  /** The first write whose expectation failed, and what is there instead. Nothing was written. */
  | { readonly kind: 'conflict'; readonly index: number; readonly current: Entry | undefined };

export type RangeQuery = {
  /** The prefix of the keys; `''` for all. */
  readonly prefix: string;
  /** Only keys after this one: where the previous page ended. */
  readonly after?: string;
  /** At least 1. Without it, all. */
  readonly limit?: number;
  /**
   * As it was then; without it, as it is now. A revision that a range or a commit gave is always between
   * transactions; one taken from an entry may lie inside, and then shows what was written up to it.
   */
  readonly revision?: Revision;
  /**
   * `whether`: only whether there are more entries. Counting costs as much as reading the keys, and callers that read
   * to the end do not need it.
   */
  readonly counts?: 'all' | 'whether';
};

export type Page = {
  readonly kind: 'page';
  /** Sorted by the bytes of their keys. */
  readonly entries: readonly Entry[];
  readonly revision: Revision;
  /** The number of further entries; 1 for any number with `whether`. */
  readonly remaining: number;
};

/** The requested revision is compacted or in the future. */
export type OutOfReach =
  | { readonly kind: 'compacted'; readonly compactedRevision: Revision }
  | { readonly kind: 'future'; readonly revision: Revision };

export type StoreEvent =
  | {
      readonly kind: 'put';
      readonly key: string;
      readonly revision: Revision;
      readonly value: Uint8Array;
      readonly previous: Entry | undefined;
    }
  | { readonly kind: 'delete'; readonly key: string; readonly revision: Revision; readonly previous: Entry };

export type HistoryQuery = {
  readonly prefix: string;
  /** Events after this revision, up to `to`. */
  readonly from: Revision;
  readonly to: Revision;
  /** How many writes are examined, with or without the prefix. At least 1. */
  readonly limit: number;
};

export type History = {
  readonly kind: 'history';
  readonly events: readonly StoreEvent[];
  /** All events up to here are included; if it equals `to`, there are no more. */
  readonly through: Revision;
};

/**
 * Called synchronously, before the commit resolves, and for the backlog before `subscribe` returns. It may read,
 * subscribe, cancel and start commits. It must not throw: what it throws is a bug, and the commit rejects with it
 * although it is done.
 */
export type Listener = (event: StoreEvent) => void;

export interface Subscription {
  /** All events up to this revision were delivered; a bookmark may contain it. */
  progress(): Revision;
  /** No event is delivered after this. */
  cancel(): void;
}

export interface Store {
  /** Of the last durable write. */
  revision(): Revision;
  /** Events up to and including this one are compacted; the state at this revision can still be read. */
  compactedRevision(): Revision;
  get(key: string): Entry | undefined;
  range(query: RangeQuery): Page | OutOfReach;
  /** The history in the log, in pages. */
  history(query: HistoryQuery): History | OutOfReach;
  /**
   * Writes all or nothing; each key at most once. Rejects with a `Failure` when the disk fails (`StoreWriteFailed`),
   * too much is waiting (`StoreBusy`) or the store is closed (`StoreClosed`).
   */
  commit(writes: readonly Write[]): Promise<CommitResult>;
  /** Notifies `listener` of events with `prefix` after the revision `from`: those of the log, then new ones. */
  subscribe(
    query: { readonly prefix: string; readonly from: Revision },
    listener: Listener,
  ): { readonly kind: 'subscribed'; readonly subscription: Subscription } | OutOfReach;
  /** Waits for accepted commits. Afterwards all other calls fail. */
  close(): Promise<void>;
}

/** The limits of the log; the oldest events are compacted when either is exceeded. */
export type LogLimits = {
  readonly events: number;
  /** Of keys and of values that only the log still holds: those that were overwritten or deleted. */
  readonly bytes: number;
};

/** Enough to update each of 5,000 nodes of 13 KB once. */
export const DEFAULT_LOG_LIMITS: LogLimits = { events: 50_000, bytes: 64 * 1024 * 1024 };

/** In UTF-8. More than group, resource, namespace and name can fill together, and less than LMDB takes. */
export const MAX_KEY_BYTES = 1024;
