/**
 * What the two stores differ in: three tables and a counter, read synchronously, written in batches.
 *
 *     index     key      → revision of the entry
 *     values    revision → bytes
 *     records   revision → what that write did (the log)
 *
 * Values are kept by revision, so an overwritten one stays where it is until the log forgets it, and a write stores
 * its bytes once. Reads see the batch that was shown last, and nothing of one that is only persisted.
 */
import type { Revision } from './store.ts';

export interface Tables {
  state(): State;
  revisionOf(key: string): Revision | undefined;
  /** Sorted by the bytes of the keys. To be consumed before the next batch is shown. */
  keys(span: Span): Iterable<readonly [key: string, revision: Revision]>;
  count(span: Span): number;
  /** Of a revision that the index or a record names. */
  value(revision: Revision): Uint8Array;
  /** Of a revision that the log still holds. */
  record(revision: Revision): LogRecord;
  /** Resolves when the batch is durable as a whole. One at a time. */
  persist(batch: Batch): Promise<void>;
  /** Makes the persisted batch visible to reads. */
  show(batch: Batch): void;
  close(): Promise<void>;
}

export type State = {
  readonly revision: Revision;
  /** The log holds every revision after this one. */
  readonly compacted: Revision;
  /** What the records of the log cost together. */
  readonly logBytes: number;
};

/** The keys that begin with `prefix` and come after `after`. */
export type Span = { readonly prefix: string; readonly after?: string };

export type LogRecord = {
  readonly kind: 'put' | 'delete';
  readonly key: string;
  /** Of the entry that was there before; `undefined` where there was none. */
  readonly previous: Revision | undefined;
  /** Bytes of the key and of the previous value. */
  readonly cost: number;
};

/** All changes of one write to disk, and the resulting state. */
export type Batch = {
  readonly state: State;
  /** `undefined`: the key is deleted. */
  readonly index: ReadonlyMap<string, Revision | undefined>;
  readonly values: ReadonlyMap<Revision, Uint8Array>;
  readonly records: ReadonlyMap<Revision, LogRecord>;
  readonly droppedValues: ReadonlySet<Revision>;
  readonly droppedRecords: ReadonlySet<Revision>;
};
