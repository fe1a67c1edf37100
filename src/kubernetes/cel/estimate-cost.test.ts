import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../schema/index.ts';
import { boundsOf } from './bounds.ts';
import { compileCel } from './compile.ts';
import { typeOfSchema } from './data.ts';

const text = (maxLength: number): StructuralSchema => ({ type: 'string', maxLength });
const texts = (maxItems: number, maxLength: number): StructuralSchema => ({
  type: 'array',
  maxItems,
  items: text(maxLength),
});

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    s: text(20),
    t: text(7),
    unbounded: { type: 'string' },
    n: { type: 'integer' },
    when: { type: 'string', format: 'date-time' },
    any: { 'x-kubernetes-int-or-string': true },
    list: texts(12, 10),
    free: { type: 'array', items: { type: 'string' } },
    objects: {
      type: 'array',
      maxItems: 8,
      items: { type: 'object', properties: { k: text(9), few: texts(3, 4), many: texts(11, 8) } },
    },
    map: { type: 'object', maxProperties: 9, additionalProperties: text(6) },
  },
};

function costOf(rule: string, of: StructuralSchema = schema): number | string {
  const type = typeOfSchema(of);
  const bounds = boundsOf(of);
  if (type === undefined || bounds === undefined) return 'no rule can stand here';
  const program = compileCel(rule, [
    { name: 'self', type },
    { name: 'oldSelf', type },
  ]);
  return program.kind === 'failure' ? program.message : program.estimate(bounds);
}

/** What kube-apiserver estimates, found by comparing with its library. */
const COSTS: readonly (readonly [rule: string, cost: number])[] = [
  ['true', 0],
  ['self.n > 1', 3],
  ["self.s == 'abc'", 3],
  ['self.s == self.t', 7],
  ['self.unbounded == self.unbounded', 314_577],
  ['self.s.startsWith(self.t)', 7],
  ["self.s.contains('abc')", 10],
  ["self.s.matches('^[a-z]+$')", 20],
  ["self.s + self.t == 'a'", 16],
  ['has(self.s)', 1],
  ["self.when > timestamp('2020-01-01T00:00:00Z')", 4],
  ["self.any == 'x'", 3],
  ["self.list.all(x, x == 'a')", 63],
  ["self.list.exists_one(x, x == 'a')", 52],
  ["self.list.map(x, x + 'b').exists(y, y == 'c')", 290],
  ["self.list.filter(x, x != '').size() > 1", 183],
  ["self.map.all(k, self.map[k] == 'a')", 75],
  ["self.map.all(k, v, v == 'a')", 48],
  ["self.s.split(',').all(x, x == 'a')", 339],
  ["self.s.replace('a', 'bbb').contains('b')", 42],
  ["self.list.join(',') == 'a'", 53],
  ["'a' in self.list", 14],
  ["sets.contains(self.list, ['a', 'b'])", 37],
  ['quantity(self.s) == quantity(self.t)', 16],
  ["self.?s.orValue('').size() > 1", 5],
  ['self.?s.optMap(x, x.size()).orValue(0) > 3', 21],
  ["self.free.all(x, x == 'a')", 5_242_878],
  ['[1, 2].all(x, x > self.n)', 25],
  ["{'a': 1}.size() > 0", 32],
  ["self.n > 1 ? self.s == 'a' : self.unbounded == 'b'", 6],
  ['type(self.any) == string', 4],
  ["'%s %d'.format([self.s, self.n]) == 'x'", 16],
];

describe('the estimated cost of a rule', () => {
  it.each(COSTS)('is that of kube-apiserver for %s', (rule, cost) => {
    expect(costOf(rule)).toBe(cost);
  });

  it('multiplies the iterations of nested loops', () => {
    expect(costOf('self.free.all(x, self.free.all(y, x == y))')).toBeGreaterThan(1e17);
  });

  it('is infinite if a size is unknown', () => {
    expect(costOf('quantity(self.s) != quantity(self.t)')).toBe(Number.POSITIVE_INFINITY);
  });

  it('is the same for old and new values', () => {
    expect(costOf('self.s == oldSelf.s')).toBe(costOf('self.s == self.s'));
  });

  it('has no iterations for a list that must be empty', () => {
    expect(costOf("self.all(x, x == 'a')", texts(0, 5))).toBe(2);
  });

  it('ignores the function form of matches, as kube-apiserver does', () => {
    expect(costOf("matches(self.s, '^[a-z]+$')")).toBe(3);
  });

  it('confuses fields of one loop variable, as kube-apiserver does', () => {
    const fewFirst = costOf('self.objects.all(x, x.few.all(y, x.many.exists(z, z == y)))');
    const manyFirst = costOf('self.objects.all(x, x.many.all(y, x.few.exists(z, z == y)))');
    expect([fewFirst, manyFirst]).toEqual([8323, 771]);
  });
});

describe('boundsOf', () => {
  const bounds: readonly (readonly [string, StructuralSchema, number, number])[] = [
    ['a text', { type: 'string' }, 3_145_726, 2],
    ['a limited text, whose characters may take four bytes', text(5), 20, 2],
    ['bytes', { type: 'string', format: 'byte', maxLength: 5 }, 5, 2],
    ['one of several texts', { type: 'string', enum: ['a', 'ccc', 'bb'] }, 3, 2],
    ['a time', { type: 'string', format: 'date-time' }, 32, 21],
    ['a date', { type: 'string', format: 'date' }, 12, 12],
    ['a number', { type: 'number' }, 0, 1],
    ['a truth value', { type: 'boolean' }, 0, 4],
    ['a number or text', { 'x-kubernetes-int-or-string': true }, 3_145_726, 1],
    ['a list', { type: 'array', items: { type: 'boolean' } }, 629_145, 2],
    ['a limited list', texts(4, 1), 4, 2],
    ['a list with a limit below nothing', texts(-4, 1), 0, 2],
    ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, 449_389, 2],
  ];

  it.each(bounds)('gives the bounds of %s', (_, of, maxElements, minBytes) => {
    expect(boundsOf(of)).toMatchObject({ maxElements, minBytes });
  });

  it('counts the required fields of an object that have no default', () => {
    const properties = { given: text(1), optional: text(1), filled: { ...text(1), default: 'x' } };
    const object: StructuralSchema = { type: 'object', required: ['given', 'filled'], properties };
    expect(boundsOf(object)?.minBytes).toBe(2 + 'given'.length + 2 + 4);
  });

  it('is undefined for values that rules have no access to', () => {
    expect(boundsOf({ 'x-kubernetes-preserve-unknown-fields': true })).toBeUndefined();
    expect(boundsOf({ type: 'array', items: {} })).toBeUndefined();
  });
});
