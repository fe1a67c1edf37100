/**
 * The tables in LMDB. Reads use one read transaction, which is renewed when a batch is shown: a batch becomes visible
 * exactly when subscribers are notified, although LMDB has it a little earlier.
 */
import type { Database, RootDatabase, Transaction } from 'lmdb';
import { assert, Failure } from '../../../base/errors.ts';
import { compareBytes } from '../../../base/json.ts';
import { MAX_KEY_BYTES, type Revision } from './store.ts';
import {
  decodeRecord,
  decodeRevision,
  decodeState,
  decodeText,
  encodeEnd,
  encodeRecord,
  encodeRevision,
  encodeState,
  encodeText,
} from './table-bytes.ts';
import type { Batch, LogRecord, Span, State, Tables } from './tables.ts';

/** The format version; to be raised with every change, with code that reads the older one. */
const FORMAT = 1;
const FORMAT_KEY = encodeText('format');
const STATE_KEY = encodeText('state');
/** The smallest key: LMDB has no empty keys. */
const FIRST_KEY = new Uint8Array([0]);

type Table = Database<Uint8Array, Uint8Array>;

export class LmdbTables implements Tables {
  readonly #root: RootDatabase;
  readonly #onClose: () => void;
  readonly #meta: Table;
  readonly #index: Table;
  readonly #values: Table;
  readonly #records: Table;
  /** The read transaction, and the state read from it. */
  #transaction: Transaction;
  #state: State;
  #isBroken: boolean = false;

  /** Throws a `Failure` if these are not our tables. */
  constructor(root: RootDatabase, onClose: () => void) {
    this.#root = root;
    this.#onClose = onClose;
    const table = (name: string): Table =>
      root.openDB<Uint8Array, Uint8Array>({ name, encoding: 'binary', keyEncoding: 'binary' });
    this.#meta = table('meta');
    this.#index = table('index');
    this.#values = table('values');
    this.#records = table('records');
    root.transactionSync(() => this.#initialize());
    this.#transaction = root.useReadTransaction();
    this.#state = this.#readState();
    this.#validate();
  }

  state(): State {
    return this.#state;
  }

  revisionOf(key: string): Revision | undefined {
    const keyBytes = encodeText(key);
    if (keyBytes.length === 0 || keyBytes.length > MAX_KEY_BYTES) return undefined;
    const bytes = this.#index.get(keyBytes, this.#read());
    return bytes === undefined ? undefined : decodeRevision(bytes);
  }

  *keys(span: Span): Generator<readonly [string, Revision]> {
    const range = rangeOf(span);
    if (range === undefined) return;
    for (const { key, value } of this.#index.getRange({ ...range, ...this.#read() })) {
      yield [decodeText(key), decodeRevision(value)];
    }
  }

  count(span: Span): number {
    const range = rangeOf(span);
    return range === undefined ? 0 : this.#index.getKeysCount({ ...range, ...this.#read() });
  }

  value(revision: Revision): Uint8Array {
    const bytes = this.#values.get(encodeRevision(revision), this.#read());
    assert(bytes !== undefined, `the value of revision ${revision} is kept`);
    // LMDB returns a Buffer, whose `slice` differs from that of a Uint8Array.
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  record(revision: Revision): LogRecord {
    const bytes = this.#records.get(encodeRevision(revision), this.#read());
    assert(bytes !== undefined, `the log holds revision ${revision}`);
    return decodeRecord(bytes);
  }

  async persist(batch: Batch): Promise<void> {
    if (this.#isBroken) {
      throw new Failure('stalled', 'StoreWriteFailed', 'the disk has failed; the store must be opened again');
    }
    try {
      await this.#root.batch(() => this.#put(batch));
    } catch (error) {
      // LMDB reports the outcome in a promise of its own.
      const cause: unknown = await (error as { commitError?: Promise<unknown> }).commitError?.catch(
        (one) => one,
      );
      this.#isBroken = !this.#isAsBefore();
      const message = `writing revision ${batch.state.revision}: ${String(cause ?? error)}`;
      throw new Failure('transient', 'StoreWriteFailed', message, cause ?? error);
    }
  }

  show(batch: Batch): void {
    this.#root.resetReadTxn();
    const next = this.#root.useReadTransaction();
    this.#transaction.done();
    this.#transaction = next;
    this.#state = this.#readState();
    assert(this.#state.revision === batch.state.revision, 'what was written last is what is read');
  }

  async close(): Promise<void> {
    this.#transaction.done();
    await this.#root.close();
    this.#onClose();
  }

  #put({ state, index, values, records, droppedValues, droppedRecords }: Batch): void {
    void this.#meta.put(STATE_KEY, encodeState(state));
    for (const [key, revision] of index) {
      const keyBytes = encodeText(key);
      if (revision === undefined) void this.#index.remove(keyBytes);
      else void this.#index.put(keyBytes, encodeRevision(revision));
    }
    for (const [revision, value] of values) void this.#values.put(encodeRevision(revision), value);
    for (const [revision, record] of records) {
      void this.#records.put(encodeRevision(revision), encodeRecord(record));
    }
    for (const revision of droppedValues) void this.#values.remove(encodeRevision(revision));
    for (const revision of droppedRecords) void this.#records.remove(encodeRevision(revision));
  }

  #initialize(): void {
    const format = this.#meta.get(FORMAT_KEY);
    if (format === undefined) {
      const isNew = [this.#meta, this.#index, this.#values, this.#records].every(
        (table) => table.getKeysCount({ start: FIRST_KEY }) === 0,
      );
      if (!isNew) throw new Failure('stalled', 'StoreDamaged', 'its format version is missing');
      void this.#meta.put(FORMAT_KEY, encodeRevision(FORMAT));
      void this.#meta.put(STATE_KEY, encodeState({ revision: 0, compacted: 0, logBytes: 0 }));
    } else if (decodeRevision(format) !== FORMAT) {
      const message = `it is written in format ${decodeRevision(format)}, this version reads ${FORMAT}`;
      throw new Failure('stalled', 'StoreFormatUnknown', message);
    }
  }

  /** The log must be complete: reads of earlier revisions depend on it. */
  #validate(): void {
    const { revision, compacted } = this.#state;
    const count = this.#records.getKeysCount({ start: FIRST_KEY, ...this.#read() });
    const [last] = this.#records.getKeys({ reverse: true, limit: 1, ...this.#read() });
    const isWhole =
      count === revision - compacted && (last === undefined || decodeRevision(last) === revision);
    if (!isWhole) {
      const message = `its log has ${count} events and should have those from ${compacted + 1} to ${revision}`;
      throw new Failure('stalled', 'StoreDamaged', message);
    }
  }

  /** LMDB survives a full disk; after a disk that lost writes, its state is unknown. */
  #isAsBefore(): boolean {
    try {
      const bytes = this.#root.transactionSync(() => this.#meta.get(STATE_KEY));
      return bytes !== undefined && decodeState(bytes).revision === this.#state.revision;
    } catch {
      return false;
    }
  }

  #readState(): State {
    const bytes = this.#meta.get(STATE_KEY, this.#read());
    if (bytes === undefined) throw new Failure('stalled', 'StoreDamaged', 'its revision is missing');
    return decodeState(bytes);
  }

  #read() {
    return { transaction: this.#transaction };
  }
}

type KeyRange = { readonly start: Uint8Array; readonly exclusiveStart: boolean; readonly end?: Uint8Array };

/** `undefined` for an empty range. */
function rangeOf({ prefix, after }: Span): KeyRange | undefined {
  const first = encodeText(prefix);
  if (first.length > MAX_KEY_BYTES) return undefined;
  const end = encodeEnd(prefix);
  const bound = end === undefined ? {} : { end };
  if (after === undefined || after === '' || compareBytes(after, prefix) < 0) {
    return { start: first.length === 0 ? FIRST_KEY : first, exclusiveStart: false, ...bound };
  }
  if (!after.startsWith(prefix)) return undefined;
  // No key is longer, so cutting the prefix does not change the range.
  return { start: encodeText(after).subarray(0, MAX_KEY_BYTES), exclusiveStart: true, ...bound };
}
