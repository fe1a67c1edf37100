import { describe, expect, it } from 'vitest';
import { sameJson } from './same-json.ts';

describe('sameJson', () => {
  it.each<[unknown, unknown, boolean]>([
    [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
    [{ a: undefined, b: 1 }, { b: 1 }, true],
    [{ b: 1 }, { a: undefined, b: 1 }, true],
    [{ a: 1 }, { a: 1, b: 1 }, false],
    [{ a: 1, b: 1 }, { a: 1 }, false],
    [{ a: null }, {}, false],
    [{}, { a: null }, false],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [[], {}, false],
    [{}, [], false],
    ['1', 1, false],
    [null, {}, false],
    [JSON.parse('{"__proto__":1}'), {}, false],
    [{}, JSON.parse('{"__proto__":1}'), false],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}'), true],
    [{ constructor: 1 }, { toString: 1 }, false],
  ])('compares %j and %j: %j', (a, b, isSame) => {
    expect(sameJson(a, b)).toBe(isSame);
    expect(sameJson(b, a)).toBe(isSame);
  });
});
