import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLinearizable, type Model, type Operation } from './linearizable.ts';
import { type Answer, type Call, objectModel } from './object-model.ts';

/** `[from, to, call, answer]`; no end: no answer came. */
type Row = readonly [from: number, to: number | undefined, call: Call, answer?: Answer];

const judge = (rows: readonly Row[]): string =>
  checkLinearizable(
    objectModel,
    rows.map(([calledAt, at, call, answer = { status: 0 }]) =>
      at === undefined ? { call, calledAt } : { call, calledAt, answered: { answer, at } },
    ),
  ).kind;

const shown = (version: number, n: string, uid = 'u') => ({ uid, version, data: { n } });
const ok = (version: number, n: string, uid?: string): Answer => ({
  status: 200,
  shown: shown(version, n, uid),
});
const get: Call = { kind: 'get' };
const create = (n: string): Call => ({ kind: 'create', data: { n } });
const update = (version: number, n: string): Call => ({ kind: 'update', version, data: { n } });
const exchange = (from: string, to: string): Call => ({ kind: 'exchange', field: 'n', from, to });
const made: Row = [0, 1, create('0'), ok(1, '0')];

describe('a history that is not linearizable', () => {
  it.each<{ name: string; rows: readonly Row[] }>([
    {
      name: 'a read of what was before a write that had ended',
      rows: [made, [2, 3, update(1, '1'), ok(2, '1')], [4, 5, get, ok(1, '0')]],
    },
    {
      name: 'two writes on top of the same version: one is lost',
      rows: [made, [2, 5, update(1, '1'), ok(2, '1')], [3, 6, update(1, '2'), ok(3, '2')]],
    },
    { name: 'two creates of one name that both succeed', rows: [made, [0, 2, create('0'), ok(2, '0', 'v')]] },
    {
      name: 'a create that is refused before anyone has created',
      rows: [
        [0, 1, create('0'), { status: 409, reason: 'AlreadyExists' }],
        [2, 3, create('0'), ok(1, '0')],
      ],
    },
    {
      name: 'an update that is refused although its version was the newest all the time',
      rows: [made, [2, 3, update(1, '1'), { status: 409 }]],
    },
    {
      name: 'a read that sees a write which had not begun',
      rows: [made, [2, 3, get, ok(2, '1')], [4, 5, update(1, '1'), ok(2, '1')]],
    },
    {
      name: 'two readers who see two writes in different orders',
      rows: [
        made,
        [2, 20, exchange('0', '1'), ok(2, '1')],
        [2, 20, exchange('1', '0'), ok(3, '0')],
        [3, 4, get, ok(3, '0')],
        [5, 6, get, ok(2, '1')],
      ],
    },
    {
      name: 'an object that is there after its deletion',
      rows: [made, [2, 3, { kind: 'delete' }, { status: 200 }], [4, 5, get, ok(1, '0')]],
    },
    {
      name: 'a deletion of a version that is the newest no more',
      rows: [
        made,
        [2, 3, update(1, '1'), ok(2, '1')],
        [4, 5, { kind: 'delete', version: 1 }, { status: 200 }],
      ],
    },
    {
      name: 'a deletion of another object of the same name',
      rows: [made, [2, 3, { kind: 'delete', uid: 'other' }, { status: 200 }]],
    },
    { name: 'a patch whose test must fail', rows: [made, [2, 3, exchange('5', '6'), ok(2, '6')]] },
    {
      name: 'a patch that is refused although its test holds',
      rows: [made, [2, 3, exchange('0', '1'), { status: 422 }]],
    },
    {
      name: 'a version that goes backwards',
      rows: [made, [2, 3, exchange('0', '1'), ok(5, '1')], [4, 5, exchange('1', '2'), ok(4, '2')]],
    },
    { name: 'one version with two contents', rows: [made, [2, 3, get, ok(1, '7')]] },
    {
      name: 'a new object with a version of the old one',
      rows: [made, [2, 3, { kind: 'delete' }, { status: 200 }], [4, 5, create('0'), ok(1, '0', 'v')]],
    },
    {
      name: 'an apply that forgets the field of another',
      rows: [
        made,
        [
          2,
          3,
          { kind: 'apply', field: 'm', value: 'x' },
          { status: 200, shown: { uid: 'u', version: 2, data: { m: 'x' } } },
        ],
      ],
    },
    {
      name: 'an acknowledged write that a crash has lost',
      rows: [
        made,
        [2, 3, update(1, '1'), ok(2, '1')],
        [3, undefined, exchange('1', '2')],
        [9, 10, get, ok(1, '0')],
      ],
    },
    {
      name: 'a write without an answer that happens twice',
      rows: [
        made,
        [2, undefined, exchange('0', '1')],
        [3, 4, exchange('1', '0'), ok(5, '0')],
        [6, 7, get, ok(7, '1')],
      ],
    },
    { name: 'an object that is missing without a deletion', rows: [made, [2, 3, get, { status: 404 }]] },
  ])('is rejected: $name', ({ rows }) => {
    expect(judge(rows)).toBe('impossible');
  });
});

describe('a linearizable history', () => {
  it.each<{ name: string; rows: readonly Row[] }>([
    { name: 'nothing at all', rows: [] },
    {
      name: 'a read beside a write sees the old',
      rows: [made, [2, 6, update(1, '1'), ok(2, '1')], [3, 4, get, ok(1, '0')]],
    },
    {
      name: 'a read beside a write sees the new',
      rows: [made, [2, 6, update(1, '1'), ok(2, '1')], [3, 4, get, ok(2, '1')]],
    },
    {
      name: 'the later of two concurrent writes is answered first',
      rows: [made, [2, 9, exchange('0', '1'), ok(2, '1')], [3, 4, exchange('1', '2'), ok(3, '2')]],
    },
    {
      name: 'one of two writers is refused',
      rows: [made, [2, 5, update(1, '1'), ok(2, '1')], [3, 6, update(1, '2'), { status: 409 }]],
    },
    {
      name: 'a write without an answer happens',
      rows: [
        made,
        [2, undefined, exchange('0', '1')],
        [5, 6, get, ok(2, '1')],
        [7, 8, update(2, '2'), ok(3, '2')],
      ],
    },
    {
      name: 'a write without an answer does not happen',
      rows: [made, [2, undefined, exchange('0', '1')], [5, 6, get, ok(1, '0')]],
    },
    {
      name: 'a write without an answer happens late',
      rows: [made, [2, undefined, exchange('0', '1')], [5, 6, get, ok(1, '0')], [7, 8, get, ok(2, '1')]],
    },
    {
      name: 'a create without an answer makes another fail',
      rows: [
        [0, undefined, create('0')],
        [2, 3, create('0'), { status: 409, reason: 'AlreadyExists' }],
        [4, 5, get, ok(1, '0')],
      ],
    },
    {
      name: 'a name is used again',
      rows: [
        made,
        [2, 3, { kind: 'delete', uid: 'u', version: 1 }, { status: 200 }],
        [4, 5, create('0'), ok(3, '0', 'v')],
        [6, 7, { kind: 'delete', uid: 'u' }, { status: 409 }],
      ],
    },
    {
      name: 'a busy server refuses',
      rows: [made, [2, 3, exchange('0', '1'), { status: 429 }], [4, 5, get, ok(1, '0')]],
    },
  ])('is accepted: $name', ({ rows }) => {
    expect(judge(rows)).toBe('linearizable');
  });
});

describe('the search', () => {
  it('agrees with a brute-force search', () => {
    fc.assert(
      fc.property(fc.array(aRegisterOperation, { maxLength: 6 }), (history) => {
        const found = checkLinearizable(register, history).kind === 'linearizable';
        expect(found).toBe(hasOrder(register.initial, history));
      }),
      { numRuns: 3000 },
    );
  });

  it('is quick with a hundred concurrent operations', () => {
    const history: Operation<RegisterCall, number>[] = [];
    for (let round = 0; round < 20; round++) {
      for (let one = 0; one < 100; one++) {
        const call: RegisterCall =
          one % 2 === 0
            ? { kind: 'exchange', from: count(round, one), to: count(round, one) + 1 }
            : { kind: 'read' };
        const answer = one % 2 === 0 ? 1 : count(round, one);
        history.push({
          call,
          calledAt: round * 1000 + ((one * 37) % 100),
          answered: { answer, at: round * 1000 + 500 + ((one * 61) % 100) },
        });
      }
    }
    expect(checkLinearizable(register, history).kind).toBe('linearizable');
  });
});

const count = (round: number, one: number) => round * 50 + ((one + 1) >> 1);

/** A number that is read, and exchanged if it is as expected (answer 1) or not (answer 0). */
type RegisterCall =
  | { readonly kind: 'read' }
  | { readonly kind: 'exchange'; readonly from: number; readonly to: number };

const register: Model<number, RegisterCall, number> = {
  initial: 0,
  step(state, call, answer) {
    if (call.kind === 'read') return answer === undefined || answer === state ? state : undefined;
    const isDone = call.from === state;
    if (answer === undefined) return isDone ? call.to : undefined;
    if (answer !== (isDone ? 1 : 0)) return undefined;
    return isDone ? call.to : state;
  },
  keyOf: String,
};

const aRegisterOperation: fc.Arbitrary<Operation<RegisterCall, number>> = fc
  .record({
    call: fc.oneof(
      fc.constant<RegisterCall>({ kind: 'read' }),
      fc.record({ kind: fc.constant('exchange' as const), from: fc.nat(2), to: fc.nat(2) }),
    ),
    calledAt: fc.nat(8),
    lasts: fc.integer({ min: 1, max: 6 }),
    answer: fc.nat(2),
    isAnswered: fc.boolean(),
  })
  .map(({ call, calledAt, lasts, answer, isAnswered }) =>
    isAnswered ? { call, calledAt, answered: { answer, at: calledAt + lasts } } : { call, calledAt },
  );

/** By the definition: some order of all that were answered and some that were not, never against the clock. */
function hasOrder(state: number, rest: readonly Operation<RegisterCall, number>[]): boolean {
  if (rest.every(({ answered }) => answered === undefined)) return true;
  return rest.some((one) => {
    const others = rest.filter((other) => other !== one);
    if (others.some(({ answered }) => answered !== undefined && answered.at < one.calledAt)) return false;
    const next = register.step(state, one.call, one.answered?.answer);
    return next !== undefined && hasOrder(next, others);
  });
}
