/**
 * Random histories, run on a store and on the naive one: every answer and every event must be the same.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import type {
  CommitResult,
  LogLimits,
  Revision,
  Store,
  StoreEvent,
  Write,
} from '../../src/embedded/apiserver/index.ts';
import { NaiveStore } from './naive-store.ts';

export type StoreMaker = {
  readonly create: (limits?: LogLimits) => Store;
  /** Where a store outlives its process: closes this one and opens what it left. */
  readonly reopen?: (store: Store, limits: LogLimits) => Promise<Store>;
};

/** Few, so that histories meet at the same keys; some sort otherwise in UTF-16 than in bytes. */
const KEYS = ['a', 'a/1', 'a/10', 'a/2', 'ab', 'b/', 'b/é', 'b/\ufffd', 'b/😀', 'b/😀/1'];
const PREFIXES = ['', '', 'a', 'a/', 'b/', 'b/😀', 'c'];

type Expectation = 'absent' | 'any' | 'current' | 'stale';
type Step =
  /** Transactions that are started together. */
  | { readonly kind: 'commit'; readonly transactions: readonly (readonly Draft[])[] }
  | {
      readonly kind: 'range';
      readonly prefix: string;
      readonly after: string | undefined;
      limit: number;
      at: number;
    }
  | { readonly kind: 'subscribe'; readonly prefix: string; readonly at: number }
  | { readonly kind: 'cancel'; readonly which: number }
  | { readonly kind: 'reopen' };
type Draft = {
  readonly key: string;
  readonly kind: 'put' | 'delete';
  readonly expect: Expectation;
  size: number;
};

const draft: fc.Arbitrary<Draft> = fc.record({
  key: fc.constantFrom(...KEYS),
  kind: fc.constantFrom('put', 'put', 'delete'),
  expect: fc.constantFrom('any', 'any', 'current', 'current', 'absent', 'stale'),
  size: fc.nat(30),
});
const transaction = fc.uniqueArray(draft, { selector: ({ key }) => key, minLength: 1, maxLength: 4 });
const prefix = fc.constantFrom(...PREFIXES);
/** Where in the history, from its beginning (0) to a little beyond its end (1). */
const at = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);
const commit = fc.record({
  kind: fc.constant('commit' as const),
  transactions: fc.array(transaction, { minLength: 1, maxLength: 4 }),
});
const range = fc.record({
  kind: fc.constant('range' as const),
  prefix,
  after: fc.option(fc.constantFrom(...KEYS, 'zz'), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 6 }),
  at,
});
const subscribe = fc.record({ kind: fc.constant('subscribe' as const), prefix, at });
const cancel = fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(5) });
const reopen = fc.constant({ kind: 'reopen' as const });
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: commit, weight: 6 },
  { arbitrary: range, weight: 4 },
  { arbitrary: subscribe, weight: 3 },
  { arbitrary: cancel, weight: 1 },
  { arbitrary: reopen, weight: 1 },
);
/** Some so tight that nearly everything is forgotten, some so wide that nothing is. */
const limits: fc.Arbitrary<LogLimits> = fc.oneof(
  fc.record({ events: fc.integer({ min: 0, max: 30 }), bytes: fc.integer({ min: 0, max: 400 }) }),
  fc.constant({ events: 1_000, bytes: 1_000_000 }),
);

export async function expectToActAsTheNaiveStore(maker: StoreMaker, numRuns: number): Promise<void> {
  const history = fc.array(step, { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(limits, history, async (some, steps) => {
      const run = new Run(maker, some);
      for (const one of steps) await run.take(one);
      await run.finish();
    }),
    { numRuns },
  );
}

type Watch = {
  readonly heard: StoreEvent[];
  readonly expected: () => readonly StoreEvent[];
  readonly cancel: () => void;
};

class Run {
  readonly #maker: StoreMaker;
  readonly #limits: LogLimits;
  readonly #naive: NaiveStore;
  #store: Store;
  #watches: Watch[] = [];
  #values = 0;

  constructor(maker: StoreMaker, some: LogLimits) {
    this.#maker = maker;
    this.#limits = some;
    this.#naive = new NaiveStore(some);
    this.#store = maker.create(some);
  }

  async take(one: Step): Promise<void> {
    switch (one.kind) {
      case 'commit':
        await this.#commit(one.transactions);
        break;
      case 'range': {
        const { prefix: some, after, limit } = one;
        const query = { prefix: some, limit, revision: this.#revisionAt(one.at), ...(after && { after }) };
        expect(readable(this.#store.range(query))).toEqual(readable(this.#naive.range(query)));
        break;
      }
      case 'subscribe':
        this.#subscribe(one.prefix, this.#revisionAt(one.at));
        break;
      case 'cancel':
        for (const watch of this.#watches.splice(one.which, 1)) {
          watch.cancel();
          const expected = watch.expected();
          this.#watches.push({ ...watch, expected: () => expected });
        }
        break;
      case 'reopen':
        if (this.#maker.reopen === undefined) break;
        this.#compareWatches();
        this.#watches = [];
        this.#store = await this.#maker.reopen(this.#store, this.#limits);
    }
    expect(this.#store.revision()).toBe(this.#naive.revision());
    expect(this.#store.compactedRevision()).toBe(this.#naive.compactedRevision());
  }

  async finish(): Promise<void> {
    this.#compareWatches();
    for (const key of KEYS) expect(readable(this.#store.get(key))).toEqual(readable(this.#naive.get(key)));
    const all = { prefix: '' };
    expect(readable(this.#store.range(all))).toEqual(readable(this.#naive.range(all)));
    await this.#store.close();
  }

  async #commit(transactions: readonly (readonly Draft[])[]): Promise<void> {
    const started: Promise<CommitResult>[] = [];
    const expected: CommitResult[] = [];
    for (const drafts of transactions) {
      const writes = drafts.map((one) => this.#write(one));
      started.push(this.#store.commit(writes));
      expected.push(this.#naive.commit(writes));
    }
    expect(readable(await Promise.all(started))).toEqual(readable(expected));
  }

  #write({ key, kind, expect: expectation, size }: Draft): Write {
    const current = this.#naive.get(key)?.revision;
    const revision = expectation === 'stale' ? Math.max(1, (current ?? 1) - 1) : (current ?? 'absent');
    const expected = expectation === 'any' || expectation === 'absent' ? expectation : revision;
    const value = new TextEncoder().encode(`${this.#values++}`.padEnd(size, '.'));
    if (kind === 'put') return { kind, key, expect: expected, value };
    return { kind, key, expect: expected === 'absent' ? 'any' : expected };
  }

  #subscribe(some: string, from: Revision): void {
    const heard: StoreEvent[] = [];
    const query = { prefix: some, from };
    const answer = this.#store.subscribe(query, (event) => heard.push(event));
    const outOfReach = this.#naive.outOfReach(from);
    if (outOfReach !== undefined || answer.kind !== 'subscribed') {
      expect(answer).toEqual(outOfReach);
      return;
    }
    const { subscription } = answer;
    const expected = () => this.#naive.eventsSince(query);
    expect(readable(heard)).toEqual(readable(expected()));
    expect(subscription.progress()).toBe(this.#naive.revision());
    this.#watches.push({ heard, expected, cancel: () => subscription.cancel() });
  }

  #compareWatches(): void {
    for (const { heard, expected } of this.#watches) expect(readable(heard)).toEqual(readable(expected()));
  }

  #revisionAt(fraction: number): Revision {
    return Math.round(fraction * (this.#naive.revision() + 1));
  }
}

/** Bytes as text, so that a difference can be read. */
export function readable(value: unknown): unknown {
  const asText = (_: string, one: unknown) =>
    one instanceof Uint8Array ? new TextDecoder().decode(one) : one;
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value, asText));
}
