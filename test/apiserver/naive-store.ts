/** A naive model of the store: every state and every event. The stores are compared with it. */
import type {
  CommitResult,
  Entry,
  LogLimits,
  OutOfReach,
  Page,
  RangeQuery,
  Revision,
  StoreEvent,
  Write,
} from '../../src/embedded/apiserver/index.ts';

type Snapshot = ReadonlyMap<string, Entry>;

export class NaiveStore {
  /** By revision. */
  readonly #states: Snapshot[] = [new Map()];
  readonly #events: StoreEvent[] = [];
  readonly #limits: LogLimits;

  constructor(limits: LogLimits) {
    this.#limits = limits;
  }

  revision(): Revision {
    return this.#events.length;
  }

  /** The least revision behind which the events are within the limits. */
  compactedRevision(): Revision {
    let bytes = 0;
    let events = 0;
    for (const { revision, key, previous } of this.#events.toReversed()) {
      bytes += Buffer.byteLength(key) + (previous?.value.length ?? 0);
      events += 1;
      if (bytes > this.#limits.bytes || events > this.#limits.events) return revision;
    }
    return 0;
  }

  get(key: string): Entry | undefined {
    return this.#stateAt(this.revision()).get(key);
  }

  commit(writes: readonly Write[]): CommitResult {
    const before = this.#stateAt(this.revision());
    for (const [index, { kind, key, expect }] of writes.entries()) {
      const current = before.get(key);
      const isMet =
        expect === 'any'
          ? kind === 'put' || current !== undefined
          : current?.revision === (expect === 'absent' ? undefined : expect);
      if (!isMet) return { kind: 'conflict', index, current };
    }
    for (const write of writes) this.#apply(write);
    return { kind: 'committed', revision: this.revision() };
  }

  range({ prefix, after, limit = Infinity, revision = this.revision() }: RangeQuery): Page | OutOfReach {
    const outOfReach = this.outOfReach(revision);
    if (outOfReach !== undefined) return outOfReach;
    const all = [...this.#stateAt(revision).values()]
      .filter(({ key }) => key.startsWith(prefix) && (after === undefined || inBytes(key, after) > 0))
      .sort((a, b) => inBytes(a.key, b.key));
    const entries = all.slice(0, limit);
    return { kind: 'page', entries, revision, remaining: all.length - entries.length };
  }

  /** Of all events, also the forgotten ones. */
  eventsSince({ prefix, from }: { prefix: string; from: Revision }): readonly StoreEvent[] {
    return this.#events.filter(({ key, revision }) => key.startsWith(prefix) && revision > from);
  }

  outOfReach(revision: Revision): OutOfReach | undefined {
    const compactedRevision = this.compactedRevision();
    if (revision > this.revision()) return { kind: 'future', revision: this.revision() };
    return revision < compactedRevision ? { kind: 'compacted', compactedRevision } : undefined;
  }

  #apply(write: Write): void {
    const state = new Map(this.#stateAt(this.revision()));
    const { key } = write;
    const previous = state.get(key);
    const revision = this.revision() + 1;
    if (write.kind === 'put') {
      const { value } = write;
      state.set(key, { key, value, revision });
      this.#events.push({ kind: 'put', key, revision, value, previous });
    } else if (previous !== undefined) {
      state.delete(key);
      this.#events.push({ kind: 'delete', key, revision, previous });
    }
    this.#states.push(state);
  }

  #stateAt(revision: Revision): Snapshot {
    return this.#states[revision] ?? new Map();
  }
}

function inBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
