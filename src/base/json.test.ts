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

describe('canonical JSON', () => {
  it('is one text for one value, whatever the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: 1, c: null }], a: 'x' })).toBe('{"a":"x","b":[1,{"c":null,"d":1}]}');
    expect(canonicalJson({ a: undefined })).toBe('{}');
    expect(jsonEqual({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(jsonEqual({ a: 1 }, { a: '1' })).toBe(false);
  });

  it('is the same for two values exactly where they are equal', () => {
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

  it('is JSON that says the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // -0 has no form of its own in JSON.
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('comparing by bytes', () => {
  it('orders as the UTF-8 of the texts does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
    expect(compareBytes('\u{1F600}', '\uFFFD')).toBeGreaterThan(0);
  });
});

describe('the depth of a value', () => {
  it('is measured without a stack', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level++) deep = [deep];
    expect(isDeeperThan(deep, 100)).toBe(true);
    expect(isDeeperThan([[1]], 1)).toBe(false);
    expect(isDeeperThan([[[1]]], 1)).toBe(true);
  });
});

describe('the extent of a value', () => {
  const limits = { depth: 100, values: 1_000 };

  it('counts levels and values, the second time too', () => {
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
  ])('is not told of a value that holds %s', (_, wrong) => {
    expect(jsonExtent({ a: [{ b: wrong }] }, limits)).toBeUndefined();
  });

  it('is not looked for without end', () => {
    const circle: unknown[] = [];
    circle.push(circle, circle);
    expect(jsonExtent(circle, limits)).toBeUndefined();
    let shared: unknown = 'x';
    for (let level = 0; level < 90; level++) shared = [shared, shared];
    expect(jsonExtent({ shared }, { depth: 100, values: 1_000_000 })).toBeUndefined();
  });
});

describe('own members', () => {
  it('are not those of the prototype', () => {
    expect(own({}, 'toString')).toBeUndefined();
    expect(own(JSON.parse('{"__proto__": 1}'), '__proto__')).toBe(1);
  });
});

it('counts bytes, not characters', () => {
  expect(byteLength('ü€😀')).toBe(2 + 3 + 4);
});

describe('parseJson', () => {
  it('returns the value, or undefined for a text that is not JSON', () => {
    expect(parseJson('{"a":[1]}')).toEqual({ a: [1] });
    expect(parseJson('null')).toBeNull();
    for (const text of ['', '{', 'undefined', '{"a":1} x']) expect(parseJson(text)).toBeUndefined();
  });
});
