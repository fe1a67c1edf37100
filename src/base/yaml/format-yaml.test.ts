import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { formatYaml } from './format-yaml.ts';
import { parseYaml } from './parse-yaml.ts';

test('writes block style with keys in the given order and lists at the column of their key', () => {
  const value = {
    kind: 'MachineConfig',
    apiVersion: 'v1',
    empty: {},
    none: [],
    list: [{ path: '/etc/a', mode: 420 }, ['x', ['w', 'z']], [], {}, null],
    nested: { deeper: { still: true } },
  };
  expect(formatYaml(value)).toBe(`kind: MachineConfig
apiVersion: v1
empty: {}
none: []
list:
- path: /etc/a
  mode: 420
- - x
  - - w
    - z
- []
- {}
- null
nested:
  deeper:
    still: true
`);
});

test.each([
  ['on', '"on"'],
  ['yes', '"yes"'],
  ['y', '"y"'],
  ['0644', '"0644"'],
  ['0o644', '"0o644"'],
  ['1_000', '"1_000"'],
  ['null', '"null"'],
  ['', '""'],
  ['~', '"~"'],
  ['1:30', '"1:30"'],
  ['2001-01-01', '"2001-01-01"'],
  ['.inf', '".inf"'],
  ['<<', '"<<"'],
  ['a: b', '"a: b"'],
  ['a #b', '"a #b"'],
  ['a:', '"a:"'],
  [' a', '" a"'],
  ['a ', '"a "'],
  ['- a', '"- a"'],
  ['---', '"---"'],
  ['[a]', '"[a]"'],
  ['*a', '"*a"'],
  ['a\tb', '"a\\tb"'],
  ['a\u0085b\u2028c', '"a\\u0085b\\u2028c"'],
  ['\ufeffa', '"\\ufeffa"'],
  ['3.4.0', '3.4.0'],
  ['10.0.0.1', '10.0.0.1'],
  ['/etc/a', '/etc/a'],
  ['data:,a%20b', 'data:,a%20b'],
  ['a#b', 'a#b'],
  ['-a', '-a'],
  ['it\'s "x"', 'it\'s "x"'],
])('writes the string %j as %s', (text, expected) => {
  expect(formatYaml({ a: text })).toBe(`a: ${expected}\n`);
});

test.each([
  [1e20, '1e+20'],
  [9007199254740992, '9.007199254740992e+15'],
  [9007199254740991, '9007199254740991'],
  [0.1, '0.1'],
  [-1, '-1'],
  [Number.NaN, 'null'],
])('writes the number %d as %s', (number, expected) => {
  expect(formatYaml(number)).toBe(`${expected}\n`);
});

test('writes multi-line strings as blocks and does not fold long lines', () => {
  const long = 'word '.repeat(100).trim();
  expect(formatYaml({ a: 'x\ny\n', b: ['x\n  y', 'x\n\n'], c: long, on: 'x\n\n\ny\n', d: 'x \ny' })).toBe(
    `a: |
  x
  y
b:
- |-
  x
    y
- |+
  x

c: ${long}
"on": |
  x


  y
d: "x \\ny"
`,
  );
});

test('marks keys over 1024 characters with a question mark', () => {
  const value = { ['k'.repeat(2000)]: { a: 1 }, ['l'.repeat(2000)]: [1], ['m'.repeat(2000)]: 'x' };
  expect(formatYaml(value)).toMatch(/^\? k+\n:\n {2}a: 1\n\? l+\n:\n- 1\n\? m+\n: x\n$/);
  expect(parseYaml(formatYaml([value]))).toMatchObject({ value: [{ value: [value] }] });
});

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(fc.constantFrom(...'ab01 \n\t-:#?[]{}&*!|>\'"%@`,~<.\\yno+_e', '\r\n', '---', '\n\n'), {
      maxLength: 10,
    })
    .map((parts) => parts.join('')),
);
const numbers = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);
const { value: jsonValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    texts,
    fc.constantFrom(null, true, false),
    fc.integer(),
    numbers,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(texts, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

test('writes what parseYaml reads back', () => {
  fc.assert(
    fc.property(jsonValue, (value) => {
      const outcome = parseYaml(formatYaml([value]));
      expect(outcome).toMatchObject({ kind: 'ok' });
      if (outcome.kind === 'ok') expect(outcome.value[0]?.value).toEqual([value]);
    }),
    { numRuns: 3000 },
  );
});

test('does not throw on lone surrogates and extreme sizes', () => {
  expect(formatYaml('\ud800')).toBe('"\\ud800"\n');
  expect(formatYaml({ a: 'x'.repeat(2_000_000) })).toHaveLength(2_000_004);
  expect(formatYaml({ a: 'x\n'.repeat(1_000_000) })).toHaveLength(4_000_005);
});
