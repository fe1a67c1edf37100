import { Bug } from '../../src/base/errors.ts';
/**
 * Whether a history of calls and answers could have come from one thing that does one call at a time (Wing and Gong,
 * with Lowe's memory of what was tried before).
 *
 *     time ──────────────────────────>
 *     A  |──write 1──|                        each call takes effect at one moment between its two ends;
 *     B        |──read──| → 1                 a call without an answer takes effect at any later one, or never
 *
 * The search takes the calls one after another. Next may come any that began before the first of the rest has ended.
 * One that is possible and changes nothing is taken at once: whatever the right order is, it stays right with it here.
 */

export type Operation<Call, Answer> = {
  readonly call: Call;
  readonly calledAt: number;
  /** Absent: unknown whether it happened. */
  readonly answered?: { readonly answer: Answer; readonly at: number };
};

export type Model<State, Call, Answer> = {
  readonly initial: State;
  /** The state after the call, or undefined where it cannot be answered so in this state. */
  readonly step: (state: State, call: Call, answer: Answer | undefined) => State | undefined;
  /** The same text for the same state. */
  readonly keyOf: (state: State) => string;
};

export type Verdict<Call, Answer> =
  | { readonly kind: 'linearizable'; readonly tried: number }
  /** What no order explains: those that the best attempt could not place, the earliest first. */
  | { readonly kind: 'impossible'; readonly stuck: readonly Operation<Call, Answer>[] }
  /** The limit was reached. */
  | { readonly kind: 'unknown' };

const MAX_TRIED = 2_000_000;

export function checkLinearizable<State, Call, Answer>(
  model: Model<State, Call, Answer>,
  history: readonly Operation<Call, Answer>[],
): Verdict<Call, Answer> {
  const operations = [...history].sort((a, b) => a.calledAt - b.calledAt);
  const known = new Set<string>();
  const stack: Place<State>[] = [{ done: new Done(), state: model.initial }];
  let best: Done = new Done();
  for (let tried = 0; stack.length > 0; tried++) {
    if (tried === MAX_TRIED) return { kind: 'unknown' };
    const place = settle(model, operations, stack.pop() ?? unreachablePlace());
    if (place.done.size > best.size) best = place.done;
    const key = `${place.done.key()} ${model.keyOf(place.state)}`;
    if (known.has(key)) continue;
    known.add(key);
    const next = candidates(operations, place.done);
    if (next.every((index) => operations[index]?.answered === undefined))
      return { kind: 'linearizable', tried };
    // The last on the stack is tried first: the call that came first.
    for (const index of next.reverse()) {
      const state = stepOf(model, operations, place.state, index);
      if (state !== undefined) stack.push({ done: place.done.with(index), state });
    }
  }
  const stuck = operations.filter(({ answered }, index) => answered !== undefined && !best.has(index));
  return { kind: 'impossible', stuck: stuck.slice(0, STUCK_SHOWN) };
}

const STUCK_SHOWN = 10;

type Place<State> = { readonly done: Done; readonly state: State };

function unreachablePlace(): never {
  throw new Bug('the stack was not empty');
}

/** Takes all that are possible now and change nothing. */
function settle<State, Call, Answer>(
  model: Model<State, Call, Answer>,
  operations: readonly Operation<Call, Answer>[],
  { done, state }: Place<State>,
): Place<State> {
  const key = model.keyOf(state);
  for (;;) {
    const idle = candidates(operations, done).filter((index) => {
      if (operations[index]?.answered === undefined) return false;
      const next = stepOf(model, operations, state, index);
      return next !== undefined && model.keyOf(next) === key;
    });
    if (idle.length === 0) return { done, state };
    for (const index of idle) done = done.with(index);
  }
}

function stepOf<State, Call, Answer>(
  model: Model<State, Call, Answer>,
  operations: readonly Operation<Call, Answer>[],
  state: State,
  index: number,
): State | undefined {
  const operation = operations[index];
  if (operation === undefined) return undefined;
  return model.step(state, operation.call, operation.answered?.answer);
}

/** Those that may come next, in the order of their calls. */
function candidates<Call, Answer>(operations: readonly Operation<Call, Answer>[], done: Done): number[] {
  const found: number[] = [];
  let firstEnd = Number.POSITIVE_INFINITY;
  for (let index = done.prefix; index < operations.length; index++) {
    const operation = operations[index];
    if (operation === undefined || done.has(index)) continue;
    // Sorted by their calls: none behind this one began earlier.
    if (operation.calledAt > firstEnd) break;
    firstEnd = Math.min(firstEnd, operation.answered?.at ?? firstEnd);
    found.push(index);
  }
  return found;
}

/** A set of indexes: all below `prefix`, and a few behind. */
class Done {
  readonly prefix: number;
  readonly #ahead: ReadonlySet<number>;

  constructor(prefix = 0, ahead: ReadonlySet<number> = new Set()) {
    this.prefix = prefix;
    this.#ahead = ahead;
  }

  get size(): number {
    return this.prefix + this.#ahead.size;
  }

  has(index: number): boolean {
    return index < this.prefix || this.#ahead.has(index);
  }

  with(index: number): Done {
    const ahead = new Set(this.#ahead).add(index);
    let { prefix } = this;
    while (ahead.delete(prefix)) prefix++;
    return new Done(prefix, ahead);
  }

  key(): string {
    return `${this.prefix}:${[...this.#ahead].sort((a, b) => a - b).join(',')}`;
  }
}
