import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLength, canonicalJson, compareBytes, isDeeperThan, jsonEqual, own } from './json.ts';

describe('canonical JSON', () => {
  it('is one text for one value, whatever the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: 1, c: null }], a: 'x' })).toBe('{"a":"x","b":[1,{"c":null,"d":1}]}');
    expect(canonicalJson({ a: undefined })).toBe('{}');
    expect(jsonEqual({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(jsonEqual({ a: 1 }, { a: '1' })).toBe(false);
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

describe('own members', () => {
  it('are not those of the prototype', () => {
    expect(own({}, 'toString')).toBeUndefined();
    expect(own(JSON.parse('{"__proto__": 1}'), '__proto__')).toBe(1);
  });
});

it('counts bytes, not characters', () => {
  expect(byteLength('ü€😀')).toBe(2 + 3 + 4);
});
