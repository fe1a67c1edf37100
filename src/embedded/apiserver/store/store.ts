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
 * - A subscriber is told every event after the revision that it names, once, in order of revision.
 * - A bounded log of the latest events remembers what was overwritten. As far back as it reaches, a range can be
 *   read as it was and a subscription can begin; further back the answer is `compacted`.
 *
 * Not here: JSON, kinds, namespaces and HTTP; who waits how long, and what becomes of a watcher that is too slow.
 */

/** Counts writes. 0 is the empty store; it never goes back, not even over a restart. */
export type Revision = number;

export type Entry = {
  readonly key: string;
  /** Belongs to the store: to be read, never to be changed. */
  readonly value: Uint8Array;
  /** Of the write that put it. */
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
  /** Keys that begin so; `''` for all. */
  readonly prefix: string;
  /** Only keys behind this one: where the previous page ended. */
  readonly after?: string;
  /** At least 1. Without it, all. */
  readonly limit?: number;
  /**
   * As it was then; without it, as it is now. A revision that a range or a commit gave is always between
   * transactions; one taken from an entry may lie inside, and then shows what was written up to it.
   */
  readonly revision?: Revision;
  /**
   * `whether`: of what is behind the last entry only whether there is any. Counting costs as much as reading the keys,
   * and whoever reads on to the end has no use for it.
   */
  readonly counts?: 'all' | 'whether';
};

export type Page = {
  readonly kind: 'page';
  /** In the order of their keys' bytes. */
  readonly entries: readonly Entry[];
  readonly revision: Revision;
  /** How many more there are behind the last entry; 1 for any number where only `whether` was asked. */
  readonly remaining: number;
};

/** The revision asked for cannot be had: forgotten already, or not there yet. */
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
  /** Events after this one, and up to `to`. */
  readonly from: Revision;
  readonly to: Revision;
  /** How many writes are looked at, whether or not they are at keys with the prefix. At least 1. */
  readonly limit: number;
};

export type History = {
  readonly kind: 'history';
  readonly events: readonly StoreEvent[];
  /** Everything up to here is told; where it is `to`, nothing is left. */
  readonly through: Revision;
};

/**
 * Called synchronously, before the commit resolves, and for the backlog before `subscribe` returns. It may read,
 * subscribe, cancel and start commits. It must not throw: what it throws is a bug, and the commit rejects with it
 * although it is done.
 */
export type Listener = (event: StoreEvent) => void;

export interface Subscription {
  /** Every event up to this revision has been told; what a bookmark may say. */
  progress(): Revision;
  /** No event is told after this. */
  cancel(): void;
}

export interface Store {
  /** Of the last durable write. */
  revision(): Revision;
  /** Events up to and including this one are forgotten; the state at it can still be read. */
  compactedRevision(): Revision;
  get(key: string): Entry | undefined;
  range(query: RangeQuery): Page | OutOfReach;
  /** What the log remembers, some of it at a time. */
  history(query: HistoryQuery): History | OutOfReach;
  /**
   * Writes all or nothing; each key at most once. Rejects with a `Failure` when the disk fails (`StoreWriteFailed`),
   * too much is waiting (`StoreBusy`) or the store is closed (`StoreClosed`).
   */
  commit(writes: readonly Write[]): Promise<CommitResult>;
  /** Tells `listener` of events at keys with `prefix`, after the revision `from`: those of the log, then new ones. */
  subscribe(
    query: { readonly prefix: string; readonly from: Revision },
    listener: Listener,
  ): { readonly kind: 'subscribed'; readonly subscription: Subscription } | OutOfReach;
  /** Waits for the commits that were accepted. Afterwards every other call fails. */
  close(): Promise<void>;
}

/** How much the log remembers; the oldest event goes first when either is exceeded. */
export type LogLimits = {
  readonly events: number;
  /** Of keys and of values that only the log still holds: those that were overwritten or deleted. */
  readonly bytes: number;
};

/** Enough to change each of 5,000 nodes of 13 KB once. */
export const DEFAULT_LOG_LIMITS: LogLimits = { events: 50_000, bytes: 64 * 1024 * 1024 };

/** In UTF-8. More than group, resource, namespace and name can fill together, and less than LMDB takes. */
export const MAX_KEY_BYTES = 1024;
