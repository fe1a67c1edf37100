import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { countKeys, duplicateKeys, holdsMoreThan, readJson, scanJson } from './json-scan.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('syntax errors', () => {
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a', 'unexpected end of JSON input'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['{x', "invalid character 'x' looking for beginning of object key string"],
    ['{"a" 1', "invalid character '1' after object key"],
    ['{"a":1 "b"', `invalid character '"' after object key:value pair`],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['tru', 'unexpected end of JSON input'],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['ü', "invalid character 'Ã' looking for beginning of value"],
  ])('%s: %s', (text, message) => {
    expect(readJson(bytes(text))).toEqual({ kind: 'mistake', message });
  });

  it('are reported by byte for invalid UTF-8', () => {
    expect(readJson(new Uint8Array([0x9e, 1]))).toEqual({
      kind: 'mistake',
      message: "invalid character '\\u009e' looking for beginning of value",
    });
  });

  it('are reported for texts that nest too deeply', () => {
    expect(scanJson(bytes('['.repeat(20_000))).mistake).toBe('exceeded max depth');
  });
});

describe('duplicate keys', () => {
  it.each([
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', []],
    ['{"a":1,"a":2}', ['a']],
    ['{"data":{"k":"1","k":"2","k":"3"}}', ['data.k', 'data.k']],
    ['{"l":[1,{"k":1,"k":2}]}', ['l[1].k']],
    ['{"a\\u0062":1,"ab":2}', ['ab']],
  ])('%s', (text, duplicates) => {
    expect(scanJson(bytes(text))).toEqual({ mistake: undefined, duplicates });
  });

  it.each([
    '{}',
    '{"a":1,"b":{"a":"x:\\":y"},"c":[{"a":1},{"a":1}]}',
    '{"a\\\\":1,"b:c":":"}',
    '{"__proto__":{"constructor":1}}',
    '[":", "\\":"]',
    '{"a":1,"a":2}',
    '{"data":{"k":"1","k":"2","k":"3"}}',
    '{"a\\u0062":1,"ab":2}',
    '{"__proto__":1,"__proto__":2}',
  ])('are found by counting keys: %s', (text) => {
    const count = countKeys(JSON.parse(text) as Json, 10) ?? -1;
    expect(duplicateKeys(bytes(text), count)).toEqual(scanJson(bytes(text)).duplicates);
  });
});

describe('countKeys', () => {
  it.each<[Json, number]>([
    [null, 0],
    ['a', 0],
    [[], 0],
    [{ a: [{ b: 1, c: {} }, [{ d: null }]] }, 4],
  ])('counts the keys of %j', (value, count) => {
    expect(countKeys(value, 10)).toBe(count);
  });

  it('is undefined for values that nest too deeply', () => {
    const nested = (depth: number): Json => (depth === 0 ? {} : { a: [nested(depth - 1)] });
    expect(countKeys(nested(5), 10)).toBe(5);
    expect(countKeys(nested(5), 9)).toBeUndefined();
  });
});

describe('holdsMoreThan', () => {
  it.each<[Json, number]>([
    [1, 1],
    [[], 1],
    [[1, 2, [3]], 5],
    [{ a: { b: null, c: [] }, d: 'x' }, 5],
  ])('counts the values of %j', (value, count) => {
    expect(holdsMoreThan(value, count)).toBe(false);
    expect(holdsMoreThan(value, count - 1)).toBe(true);
  });
});
