import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byteLength,
  canonicalJson,
  compareBytes,
  isDeeperThan,
  jsonEqual,
  jsonExtent,
  own,
  parseJson,
} from './json.ts';

describe('canonicalJson', () => {
  it('does not depend on the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: 1, c: null }], a: 'x' })).toBe('{"a":"x","b":[1,{"c":null,"d":1}]}');
    expect(canonicalJson({ a: undefined })).toBe('{}');
    expect(jsonEqual({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(jsonEqual({ a: 1 }, { a: '1' })).toBe(false);
  });

  it('is the same for two values if and only if jsonEqual', () => {
    const scalar = fc.constantFrom<unknown>(undefined, null, 0, -0, 1, Number.NaN, '', '1', true, false);
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        scalar,
        fc.array(tie('any'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), tie('any'), { maxKeys: 3 }),
      ),
    })).any;
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(jsonEqual(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
        expect(jsonEqual(a, structuredClone(a))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('parses back to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // -0 has no form of its own in JSON.
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('compareBytes', () => {
  it('orders like the UTF-8 encodings', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
    expect(compareBytes('\u{1F600}', '\uFFFD')).toBeGreaterThan(0);
  });
});

describe('isDeeperThan', () => {
  it('handles any depth without recursion', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level++) deep = [deep];
    expect(isDeeperThan(deep, 100)).toBe(true);
    expect(isDeeperThan([[1]], 1)).toBe(false);
    expect(isDeeperThan([[[1]]], 1)).toBe(true);
  });
});

describe('jsonExtent', () => {
  const limits = { depth: 100, values: 1_000 };

  it('counts levels and values, also from its cache', () => {
    const list = Array.from({ length: 100 }, (_, index) => [index]);
    const value = { a: { list, b: null }, c: 'x' };
    for (const _ of ['first', 'second']) {
      expect(jsonExtent(value, limits)).toEqual({ depth: 3, values: 2 + 2 + 100 + 100 });
      expect(jsonExtent({ ...value, d: {} }, limits)).toEqual({ depth: 3, values: 3 + 2 + 100 + 100 });
    }
    expect(jsonExtent(value, { depth: 2, values: 1_000 })).toBeUndefined();
    expect(jsonExtent(value, { depth: 100, values: 203 })).toBeUndefined();
    expect(jsonExtent(value, { depth: 3, values: 204 })).toBeDefined();
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['a bigint', 1n],
  ])('is undefined for a value that contains %s', (_, wrong) => {
    expect(jsonExtent({ a: [{ b: wrong }] }, limits)).toBeUndefined();
  });

  it('stops at the limits for a value that shares its parts', () => {
    const circle: unknown[] = [];
    circle.push(circle, circle);
    expect(jsonExtent(circle, limits)).toBeUndefined();
    let shared: unknown = 'x';
    for (let level = 0; level < 90; level++) shared = [shared, shared];
    expect(jsonExtent({ shared }, { depth: 100, values: 1_000_000 })).toBeUndefined();
  });
});

describe('own', () => {
  it('ignores inherited members', () => {
    expect(own({}, 'toString')).toBeUndefined();
    expect(own(JSON.parse('{"__proto__": 1}'), '__proto__')).toBe(1);
  });
});

it('byteLength counts UTF-8 bytes', () => {
  expect(byteLength('ü€😀')).toBe(2 + 3 + 4);
});

describe('parseJson', () => {
  it('returns the value, or undefined for a text that is not JSON', () => {
    expect(parseJson('{"a":[1]}')).toEqual({ a: [1] });
    expect(parseJson('null')).toBeNull();
    for (const text of ['', '{', 'undefined', '{"a":1} x']) expect(parseJson(text)).toBeUndefined();
  });
});
