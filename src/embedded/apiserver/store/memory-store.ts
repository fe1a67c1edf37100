/**
 * The store in memory, for tests in virtual time. It only waits for the queue, so the same calls have the same effects
 * in the same order.
 */
import { assert } from '../../../base/errors.ts';
import { compareBytes } from '../../../base/json.ts';
import { SortedMap } from './sorted-map.ts';
import { DEFAULT_LOG_LIMITS, type LogLimits, type Revision, type Store } from './store.ts';
import { TableStore } from './table-store.ts';
import type { Batch, LogRecord, Span, State, Tables } from './tables.ts';

export function createMemoryStore(limits: LogLimits = DEFAULT_LOG_LIMITS): Store {
  return new TableStore(new MemoryTables(), limits);
}

class MemoryTables implements Tables {
  #state: State = { revision: 0, compacted: 0, logBytes: 0 };
  readonly #index = new SortedMap<Revision>();
  readonly #values = new Map<Revision, Uint8Array>();
  readonly #records = new Map<Revision, LogRecord>();

  state(): State {
    return this.#state;
  }

  revisionOf(key: string): Revision | undefined {
    return this.#index.get(key);
  }

  *keys(span: Span): Generator<readonly [string, Revision]> {
    for (const pair of this.#index.entriesFrom(isBeforeSpan(span))) {
      if (!pair[0].startsWith(span.prefix)) return;
      yield pair;
    }
  }

  count(span: Span): number {
    const { prefix } = span;
    const isUpToEnd = (key: string) => key.startsWith(prefix) || compareBytes(key, prefix) < 0;
    return Math.max(0, this.#index.countBefore(isUpToEnd) - this.#index.countBefore(isBeforeSpan(span)));
  }

  value(revision: Revision): Uint8Array {
    const value = this.#values.get(revision);
    assert(value !== undefined, `the value of revision ${revision} is kept`);
    return value;
  }

  record(revision: Revision): LogRecord {
    const record = this.#records.get(revision);
    assert(record !== undefined, `the log holds revision ${revision}`);
    return record;
  }

  persist(): Promise<void> {
    return Promise.resolve();
  }

  show(batch: Batch): void {
    for (const revision of batch.droppedValues) this.#values.delete(revision);
    for (const revision of batch.droppedRecords) this.#records.delete(revision);
    for (const [revision, value] of batch.values) this.#values.set(revision, value);
    for (const [revision, record] of batch.records) this.#records.set(revision, record);
    for (const [key, revision] of batch.index) {
      if (revision === undefined) this.#index.delete(key);
      else this.#index.set(key, revision);
    }
    this.#state = batch.state;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Whether a key is before the range. */
function isBeforeSpan({ prefix, after }: Span): (key: string) => boolean {
  if (after !== undefined && compareBytes(after, prefix) >= 0) return (key) => compareBytes(key, after) <= 0;
  return (key) => compareBytes(key, prefix) < 0;
}
