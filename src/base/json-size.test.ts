import { describe, expect, it } from 'vitest';
import { MAX_JSON_DEPTH } from './json.ts';
import { MAX_JSON_VALUES, sizeProblem, uncachedSizeProblem } from './json-size.ts';

function nested(depth: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

describe.each([
  ['sizeProblem', sizeProblem],
  ['uncachedSizeProblem', uncachedSizeProblem],
] as const)('%s', (_, problemOf) => {
  it.each([[null], ['a'], [1], [true], [{}], [[]], [{ a: [null, 'b', { c: 1 }] }]])('accepts %j', (value) => {
    expect(problemOf(value)).toBeUndefined();
  });

  it('limits the depth', () => {
    expect(problemOf(nested(MAX_JSON_DEPTH))).toBeUndefined();
    expect(problemOf(nested(MAX_JSON_DEPTH + 1))).toEqual({ kind: 'too deep' });
  });

  it('limits the number of values', () => {
    expect(problemOf(new Array(MAX_JSON_VALUES - 1).fill(0))).toBeUndefined();
    expect(problemOf(new Array(MAX_JSON_VALUES).fill(0))).toEqual({ kind: 'too large' });
  });

  it('terminates for a small value that shares parts with itself', () => {
    let value: unknown = [];
    for (let level = 0; level < 60; level++) value = [value, value];
    expect(problemOf(value)).toEqual({ kind: 'too large' });
  });

  it.each([
    [1n, 'bigint'],
    [() => 1, 'function'],
    [Symbol('a'), 'symbol'],
    [undefined, 'undefined'],
  ])('rejects values that JSON cannot hold, case %#', (value, type) => {
    expect(problemOf(value)).toEqual({ kind: 'not JSON', type });
    expect(problemOf({ a: [value] })).toEqual({ kind: 'not JSON', type });
  });

  it('accepts undefined as an absent field on request', () => {
    expect(problemOf({ a: undefined }, { allowsUndefined: true })).toBeUndefined();
  });
});

describe('uncachedSizeProblem with a depth', () => {
  it('uses it instead of the default', () => {
    expect(uncachedSizeProblem(nested(3), { maxDepth: 3 })).toBeUndefined();
    expect(uncachedSizeProblem(nested(4), { maxDepth: 3 })).toEqual({ kind: 'too deep' });
  });
});
