/**
 * Plans a group of commits: which succeed, what the batch changes, which events follow. Pure. Each commit sees the
 * earlier ones of the group.
 */
import { assert } from '../../../base/errors.ts';
import { byteLength } from '../../../base/json.ts';
import type { CommitResult, Entry, LogLimits, Revision, StoreEvent, Write } from './store.ts';
import type { Batch, LogRecord, Tables } from './tables.ts';

type CommitPlan = {
  readonly results: readonly CommitResult[];
  /** `undefined` if all commits conflict. */
  readonly batch: Batch | undefined;
  readonly events: readonly StoreEvent[];
};

export function planCommits(
  tables: Tables,
  commits: readonly (readonly Write[])[],
  limits: LogLimits,
): CommitPlan {
  const draft = new Draft(tables);
  const results = commits.map((writes): CommitResult => {
    const index = writes.findIndex((write) => !isAsExpected(write, draft.revisionOf(write.key)));
    const failed = writes[index];
    if (failed !== undefined) return { kind: 'conflict', index, current: draft.get(failed.key) };
    for (const write of writes) draft.apply(write);
    return { kind: 'committed', revision: draft.revision };
  });
  if (draft.events.length === 0) return { results, batch: undefined, events: [] };
  draft.compact(limits);
  return { results, batch: draft.batch(), events: draft.events };
}

function isAsExpected({ kind, expect }: Write, revision: Revision | undefined): boolean {
  if (expect === 'any') return kind === 'put' || revision !== undefined;
  return revision === (expect === 'absent' ? undefined : expect);
}

/** The tables with the batch applied. */
class Draft {
  readonly events: StoreEvent[] = [];
  revision: Revision;
  #compacted: Revision;
  #logBytes: number;
  readonly #tables: Tables;
  readonly #index = new Map<string, Revision | undefined>();
  readonly #values = new Map<Revision, Uint8Array>();
  readonly #records = new Map<Revision, LogRecord>();
  readonly #droppedValues = new Set<Revision>();
  readonly #droppedRecords = new Set<Revision>();

  constructor(tables: Tables) {
    this.#tables = tables;
    const { revision, compacted, logBytes } = tables.state();
    this.revision = revision;
    this.#compacted = compacted;
    this.#logBytes = logBytes;
  }

  revisionOf(key: string): Revision | undefined {
    return this.#index.has(key) ? this.#index.get(key) : this.#tables.revisionOf(key);
  }

  get(key: string): Entry | undefined {
    const revision = this.revisionOf(key);
    if (revision === undefined) return undefined;
    return { key, revision, value: this.#values.get(revision) ?? this.#tables.value(revision) };
  }

  apply(write: Write): void {
    const { kind, key } = write;
    const previous = this.get(key);
    const revision = ++this.revision;
    if (write.kind === 'put') {
      this.#index.set(key, revision);
      this.#values.set(revision, write.value);
      this.events.push({ kind: 'put', key, revision, value: write.value, previous });
    } else {
      assert(previous !== undefined, 'a delete was found to have something to delete');
      this.#index.set(key, undefined);
      this.events.push({ kind: 'delete', key, revision, previous });
    }
    const cost = byteLength(key) + (previous?.value.length ?? 0);
    this.#records.set(revision, { kind, key, previous: previous?.revision, cost });
    this.#logBytes += cost;
  }

  /** Compacts the oldest events, with the values that only they reference. */
  compact(limits: LogLimits): void {
    while (this.revision - this.#compacted > limits.events || this.#logBytes > limits.bytes) {
      const oldest = ++this.#compacted;
      const { previous, cost } = this.#records.get(oldest) ?? this.#tables.record(oldest);
      this.#logBytes -= cost;
      if (!this.#records.delete(oldest)) this.#droppedRecords.add(oldest);
      if (previous !== undefined && !this.#values.delete(previous)) this.#droppedValues.add(previous);
    }
  }

  batch(): Batch {
    return {
      state: { revision: this.revision, compacted: this.#compacted, logBytes: this.#logBytes },
      index: this.#index,
      values: this.#values,
      records: this.#records,
      droppedValues: this.#droppedValues,
      droppedRecords: this.#droppedRecords,
    };
  }
}
