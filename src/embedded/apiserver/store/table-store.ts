/**
 * The store over its tables: queue, plan, persist, show, publish. Both stores are this one; only the tables differ.
 */
import { assert, Failure } from '../../../base/errors.ts';
import { byteLength } from '../../../base/json.ts';
import { CommitQueue } from './commit-queue.ts';
import { planCommits } from './plan-commits.ts';
import { checkReach, readRange } from './read-range.ts';
import {
  type CommitResult,
  type Entry,
  type History,
  type HistoryQuery,
  type Listener,
  type LogLimits,
  MAX_KEY_BYTES,
  type OutOfReach,
  type Page,
  type RangeQuery,
  type Revision,
  type Store,
  type StoreEvent,
  type Subscription,
  type Write,
} from './store.ts';
import { Subscriptions } from './subscriptions.ts';
import type { Tables } from './tables.ts';

export class TableStore implements Store {
  readonly #tables: Tables;
  readonly #limits: LogLimits;
  readonly #queue: CommitQueue;
  readonly #subscriptions: Subscriptions;
  #isOpen: boolean = true;

  constructor(tables: Tables, limits: LogLimits) {
    this.#tables = tables;
    this.#limits = limits;
    this.#queue = new CommitQueue((commits) => this.#write(commits));
    this.#subscriptions = new Subscriptions(tables.state().revision);
  }

  revision(): Revision {
    return this.#open().state().revision;
  }

  compactedRevision(): Revision {
    return this.#open().state().compacted;
  }

  get(key: string): Entry | undefined {
    const tables = this.#open();
    const revision = tables.revisionOf(key);
    return revision === undefined ? undefined : { key, revision, value: tables.value(revision) };
  }

  range(query: RangeQuery): Page | OutOfReach {
    assert(query.limit === undefined || query.limit >= 1, 'a range asks for at least one entry');
    return readRange(this.#open(), query);
  }

  history({ prefix, from, to, limit }: HistoryQuery): History | OutOfReach {
    assert(limit >= 1 && from <= to, 'a history goes forward');
    const tables = this.#open();
    const outOfReach = checkReach(tables, from) ?? checkReach(tables, to);
    if (outOfReach !== undefined) return outOfReach;
    const through = Math.min(from + limit, to);
    const events: StoreEvent[] = [];
    for (let revision = from + 1; revision <= through; revision++) {
      const event = eventOf(tables, revision, prefix);
      if (event !== undefined) events.push(event);
    }
    return { kind: 'history', events, through };
  }

  async commit(writes: readonly Write[]): Promise<CommitResult> {
    this.#open();
    assertWellFormed(writes);
    // The caller may reuse its buffer meanwhile, and a slice would keep all of it in memory.
    return this.#queue.push(
      writes.map((write) =>
        write.kind === 'put' ? { ...write, value: new Uint8Array(write.value) } : write,
      ),
    );
  }

  subscribe(
    { prefix, from }: { readonly prefix: string; readonly from: Revision },
    listener: Listener,
  ): { readonly kind: 'subscribed'; readonly subscription: Subscription } | OutOfReach {
    const tables = this.#open();
    const outOfReach = checkReach(tables, from);
    if (outOfReach !== undefined) return outOfReach;
    const seen = tables.state().revision;
    for (let revision = from + 1; revision <= seen; revision++) {
      const event = eventOf(tables, revision, prefix);
      if (event !== undefined) listener(event);
    }
    return { kind: 'subscribed', subscription: this.#subscriptions.add(prefix, { seen, listener }) };
  }

  async close(): Promise<void> {
    this.#open();
    this.#isOpen = false;
    await this.#queue.idle();
    await this.#tables.close();
  }

  async #write(commits: readonly (readonly Write[])[]): Promise<readonly CommitResult[]> {
    const { results, batch, events } = planCommits(this.#tables, commits, this.#limits);
    if (batch !== undefined) {
      await this.#tables.persist(batch);
      this.#tables.show(batch);
      this.#subscriptions.publish(events);
    }
    return results;
  }

  #open(): Tables {
    if (!this.#isOpen) throw new Failure('cancelled', 'StoreClosed', 'the store is closed');
    return this.#tables;
  }
}

function eventOf(tables: Tables, revision: Revision, prefix: string): StoreEvent | undefined {
  const { kind, key, previous: previousRevision } = tables.record(revision);
  if (!key.startsWith(prefix)) return undefined;
  const previous =
    previousRevision === undefined
      ? undefined
      : { key, revision: previousRevision, value: tables.value(previousRevision) };
  if (kind === 'put') return { kind, key, revision, value: tables.value(revision), previous };
  assert(previous !== undefined, 'a deletion has something before it');
  return { kind, key, revision, previous };
}

/** Callers validate names, so a failure is an internal error. */
function assertWellFormed(writes: readonly Write[]): void {
  assert(writes.length > 0, 'a transaction writes something');
  const keys = new Set(writes.map(({ key }) => key));
  assert(keys.size === writes.length, 'a transaction writes each key once');
  for (const key of keys) {
    assert(key !== '' && byteLength(key) <= MAX_KEY_BYTES, `a key has 1 to ${MAX_KEY_BYTES} bytes`);
    // Lone surrogates have no UTF-8 encoding: two such keys could become equal.
    assert(!/[\ud800-\udfff]/.test(key) || !/\p{Surrogate}/u.test(key), 'a key is text that UTF-8 can hold');
  }
}
