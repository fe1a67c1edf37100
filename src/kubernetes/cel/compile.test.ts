/**
 * The language of rules. Every row was put to the library that kube-apiserver 1.33 uses
 * (k8s.io/apiextensions-apiserver v0.33), over the same object, and these are its results.
 */
import { describe, expect, it } from 'vitest';
import { testRules, verdictOver } from '../../../test/support/rule-table.ts';
import type { StructuralSchema } from '../schema/index.ts';

const STRING: StructuralSchema = { type: 'string' };
const INTEGER: StructuralSchema = { type: 'integer' };
const object = (properties: StructuralSchema['properties'] = {}): StructuralSchema => ({
  type: 'object',
  properties,
});
const list = (items: StructuralSchema, rest: StructuralSchema = {}): StructuralSchema => ({
  type: 'array',
  items,
  ...rest,
});
const byName: StructuralSchema = {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
};

const SCHEMA: StructuralSchema = object({
  s: STRING,
  s2: STRING,
  i: INTEGER,
  j: INTEGER,
  n: { type: 'number' },
  b: { type: 'boolean' },
  t: { type: 'string', format: 'date-time' },
  ios: { 'x-kubernetes-int-or-string': true },
  l: list(STRING),
  li: list(INTEGER),
  set: list(STRING, { 'x-kubernetes-list-type': 'set' }),
  ml: list(object({ name: STRING, v: INTEGER, opt: STRING }), byName),
  lo: list(object({ name: STRING, v: INTEGER })),
  m: { type: 'object', additionalProperties: STRING },
  mi: { type: 'object', additionalProperties: INTEGER },
  mo: { type: 'object', additionalProperties: object({ v: INTEGER }) },
  o: object({ a: STRING, b: INTEGER, 'foo-bar': STRING, 'x.y': STRING, namespace: STRING, a__b: STRING }),
  nul: { type: 'string', nullable: true },
  any: { 'x-kubernetes-preserve-unknown-fields': true },
  po: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  'foo-bar': STRING,
});

const VALUE = {
  s: 'hello wörld😀',
  s2: 'Hello',
  i: 5,
  j: -3,
  n: 1.5,
  b: true,
  t: '2024-02-29T12:34:56.789Z',
  ios: '50%',
  l: ['a', 'b', 'c'],
  li: [3, 1, 2],
  set: ['x', 'y'],
  ml: [
    { name: 'p', v: 1 },
    { name: 'q', v: 2, opt: 'z' },
  ],
  lo: [
    { name: 'p', v: 1 },
    { name: 'p', v: 2 },
  ],
  m: { k: 'v', 'a-b': 'c' },
  mi: { one: 1, two: 2 },
  mo: { x: { v: 3 } },
  o: { a: 'A', b: 7, 'foo-bar': 'fb', 'x.y': 'xy', namespace: 'ns', a__b: 'ab' },
  nul: null,
  any: { z: 1 },
  po: { q: 2 },
  'foo-bar': 'top',
};

const HOLDS: readonly string[] = [
  "self.s == 'hello wörld😀'",
  "self.s + '!' == 'hello wörld😀!'",
  'self.s > self.s2',
  'self.i + self.j == 2',
  'self.i - 1 == 4',
  'self.i * 2 == 10',
  'self.i / 2 == 2',
  'self.j / 2 == -1',
  'self.i % 3 == 2',
  'self.j % 2 == -1',
  '-self.i == -5',
  'self.n * 2.0 == 3.0',
  'self.n > 1',
  'self.i > 1.5',
  'self.i >= 5u',
  'self.n == 1.5',
  'type(self.i) == int',
  'type(self.s) == string',
  'type(self.ios) == string',
  'type(self.l) == list',
  'type(self.m) == map',
  'type(self.n) == double',
  'type(self.t) == google.protobuf.Timestamp',
  'type(null) == null_type',
  "self.ios == '50%'",
  "self.l[0] == 'a'",
  "'a' in self.l",
  "!('z' in self.l)",
  "self.l == ['a','b','c']",
  "self.l != ['a','c','b']",
  "self.set == ['y','x']",
  "self.set + ['z','x'] == ['x','y','z']",
  'self.set + self.set == self.set',
  "self.l + ['d'] == ['a','b','c','d']",
  'self.ml == [self.ml[1], self.ml[0]]',
  'self.ml + self.ml == self.ml',
  "self.l.all(x, x != '')",
  "self.l.exists(x, x == 'b')",
  "self.l.exists_one(x, x == 'b')",
  "self.l.map(x, x + '!') == ['a!','b!','c!']",
  "self.l.map(x, x != 'a', x + '!') == ['b!','c!']",
  "self.l.filter(x, x != 'a') == ['b','c']",
  'self.li.map(x, x * 2) == [6,2,4]',
  'self.li.all(x, 10 / x > 0)',
  'self.li.exists(x, 10 / (x - 1) > 4)',
  "self.l.all(i, v, i < 3 && v != '')",
  "self.m.all(k, v, k.size() > 0 && v != '')",
  "self.l.exists(i, v, i == 2 && v == 'c')",
  "self.m.exists(k, v, v == 'c')",
  "self.l.existsOne(i, v, v == 'c')",
  "self.l.transformList(i, v, string(i) + v) == ['0a','1b','2c']",
  "self.l.transformList(i, v, i > 0, v) == ['b','c']",
  "self.mi.transformMap(k, v, v + 1) == {'one': 2, 'two': 3}",
  "self.mi.transformMap(k, v, v > 1, v + 1) == {'two': 3}",
  "self.m.k == 'v'",
  "self.m['a-b'] == 'c'",
  "'k' in self.m",
  "self.m.all(k, self.m[k] != '')",
  'self.mi.all(k, self.mi[k] > 0)',
  "self.m == {'k': 'v', 'a-b': 'c'}",
  'self.mi.map(k, self.mi[k]).sum() == 3',
  'self.mo.x.v == 3',
  "self.o.a == 'A'",
  "self.o.foo__dash__bar == 'fb'",
  "self.o.x__dot__y == 'xy'",
  "self.o.__namespace__ == 'ns'",
  "self.o.a__underscores__b == 'ab'",
  "self.foo__dash__bar == 'top'",
  'has(self.o.a)',
  'has(self.m.k)',
  'has(self.ml[1].opt)',
  'has(self.po)',
  'self.po == self.po',
  'self.o == self.o',
  'self.i in [1,2,5]',
  "{1: 'a'}[1] == 'a'",
  "{'a': 1}.a == 1",
  "{true: 'x'}[true] == 'x'",
  'true || self.i / 0 == 1',
  'self.i / 0 == 1 || true',
  'self.b ? self.i == 5 : self.j == 1',
  'self.b',
  "self.?o.a.orValue('z') == 'A'",
  "self.?o.?a == optional.of('A')",
  '!self.?nul.hasValue()',
  "self.ml[?0].name.orValue('') == 'p'",
  "self.m[?'k'].orValue('') == 'v'",
  "self.m[?'zz'].orValue('none') == 'none'",
  "self.m.?zz.orValue('none') == 'none'",
  "self.?o.a.value() == 'A'",
  'optional.of(1).value() == 1',
  "optional.ofNonZeroValue('a').hasValue()",
  "self.?nul.or(optional.of('x')).value() == 'x'",
  'self.?o.optMap(x, x.b + 1).orValue(0) == 8',
  "self.?nul.optMap(x, x + 'a').orValue('none') == 'none'",
  "self.?o.optFlatMap(x, x.?a).orValue('none') == 'A'",
  "self.l.first().value() == 'a'",
  "self.l.last().value() == 'c'",
  'optional.unwrap([optional.of(1), optional.none()]) == [1]',
  "self.ml.map(x, x.?opt).unwrapOpt() == ['z']",
  'has(self.?o.a)',
  'dyn(1) == 1.0',
  '1 < 1.5',
  '[1,2] == [1,2]',
  "'b' > 'a' && 'é' > 'z'",
  'self.l.exists(x, x.size() > 0 && self.l.exists(y, y == x))',
  "self.li.all(x, self.l.all(x, x != ''))",
  "self.l.map(x, {'k': x})[0].k == 'a'",
  'self.o.b > self.i',
  'self.lo.map(x, x.v).sum() == 3',
  "self.l[self.i - 5] == 'a'",
  'self.l.map(x, x).all(y, y.size() == 1)',
  'self.mo.all(k, self.mo[k].v > 2)',
  'self.mo.exists(k, has(self.mo[k].v))',
  "r'\\d' == '\\\\d'",
];

const FAILS: readonly string[] = [
  'self.s < self.s2',
  'type(self.ios) == int',
  'self.ios == 50',
  "'z' in self.l",
  "['y','x'] == self.set",
  'self.lo == [self.lo[1], self.lo[0]]',
  "self.l.all(x, x == 'a')",
  "self.lo.exists_one(x, x.name == 'p')",
  "'nope' in self.m",
  'has(self.m.nope)',
  'has(self.nul)',
  'has(self.ml[0].opt)',
  'self.o == null',
  "self.s in ['a','b']",
  'self.i / 0 == 1 && false',
  '!self.b',
  'self.?nul.hasValue()',
  'self.ml[?5].hasValue()',
  'optional.none().hasValue()',
  "optional.ofNonZeroValue('').hasValue()",
  "dyn(self.i) == dyn('a')",
  'has(self.metadata)',
];

const BREAKS: readonly (readonly [rule: string, text: string])[] = [
  ['self.i / 0 == 1', 'division by zero'],
  ['self.i % 0 == 1', 'modulus by zero'],
  ['self.i + 9223372036854775807 > 0', 'integer overflow'],
  ['9223372036854775807 * 2 > 0', 'integer overflow'],
  [
    'self.ios > 10',
    "'no such overload': call arguments did not match a supported operator, function or macro signature",
  ],
  [
    'self.ios + 1 == 2',
    "'no such overload': call arguments did not match a supported operator, function or macro signature",
  ],
  ["self.l[3] == 'a'", 'index out of bounds: 3'],
  ["self.l[-1] == 'a'", 'index out of bounds: -1'],
  ['self.li.filter(x, x > 10).min() == 1', 'min called on empty list'],
  ['self.li.all(x, 10 / (x - 1) > 0)', 'division by zero'],
  ['self.li.all(x, x > 5 || 10 / (x - 1) > 0)', 'division by zero'],
  ["self.m.nope == 'v'", 'no such key: nope'],
  ["self.m['nope'] == 'v'", 'no such key: nope'],
  ["self.ml[0].opt == 'x'", 'no such key: opt'],
  ['false || self.i / 0 == 1', 'division by zero'],
  ['self.i / 0 == 1 && true', 'division by zero'],
  ["self.?nul.value() == 'A'", 'optional.none() dereference'],
  [
    "dyn(self.i) + dyn('a') == 1",
    "'no such overload': call arguments did not match a supported operator, function or macro signature",
  ],
  ["self.metadata.name == 'x'", 'no such key: metadata'],
  ["self.kind == 'x'", 'no such key: kind'],
];

const REFUSED: readonly (readonly [rule: string, text: string])[] = [
  ['self.n + 1 == 2.5', "1:8: found no matching overload for '_+_' applied to '(double, int)'"],
  ['self.i == 5.0', "1:8: found no matching overload for '_==_' applied to '(int, double)'"],
  ['5 in self.l', "1:3: found no matching overload for '@in' applied to '(int, list(string))'"],
  ["self.o.nope == 'x'", "1:7: undefined field 'nope'"],
  ['self.nope', "1:5: undefined field 'nope'"],
  ['has(self.o.nope)', "1:4: undefined field 'nope'"],
  ['self.nul == null', "1:10: found no matching overload for '_==_' applied to '(string, null)'"],
  ['self.any.z == 1', "1:5: undefined field 'any'"],
  ['has(self.any)', "1:4: undefined field 'any'"],
  ['self.po.q == 2', "1:8: undefined field 'q'"],
  ['self.s == 1', "1:8: found no matching overload for '_==_' applied to '(string, int)'"],
  ['self.s == null', "1:8: found no matching overload for '_==_' applied to '(string, null)'"],
  ['self.i == null', "1:8: found no matching overload for '_==_' applied to '(int, null)'"],
  ["self.b ? 1 : 'a'", "1:8: found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
  ['self.i ? true : false', "1:8: found no matching overload for '_?_:_' applied to '(int, bool, bool)'"],
  ['self.s && true', "1:5: expected type 'bool' but found 'string'"],
  ['self.s || true', "1:5: expected type 'bool' but found 'string'"],
  ['self.i', 'cel expression must evaluate to a bool'],
  ["self.s + 1 == 'x'", "1:8: found no matching overload for '_+_' applied to '(string, int)'"],
  ['undefined_fn(self)', "1:13: undeclared reference to 'undefined_fn' (in container '')"],
  ['self.undefinedMethod()', "1:21: undeclared reference to 'undefinedMethod' (in container '')"],
  ['foo', "1:1: undeclared reference to 'foo' (in container '')"],
  ['1 == 1.0', "1:3: found no matching overload for '_==_' applied to '(int, double)'"],
  ["'a' < 1", "1:5: found no matching overload for '_<_' applied to '(string, int)'"],
  ['[1] == [1.0]', "1:5: found no matching overload for '_==_' applied to '(list(int), list(double))'"],
  ['cel.bind(x, 1, x == 1)', "1:1: undeclared reference to 'cel' (in container '')"],
  ['self.l.all(1, true)', '1:12: argument must be a simple name'],
  [
    'self.i.all(x, true)',
    "1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ['has(self)', '1:5: invalid argument to has() macro'],
  ['has(self.l[0])', '1:11: invalid argument to has() macro'],
];

const verdict = verdictOver(SCHEMA, VALUE);

describe('compileCel', () => {
  testRules({ schema: SCHEMA, value: VALUE, holds: HOLDS, fails: FAILS, breaks: BREAKS, refused: REFUSED });

  it('marks the position of an error below the rule', () => {
    expect(verdict('self.i > 0 && self.o.nope == 1')).toBe(
      [
        `Invalid value: "object": rule compile error: compilation failed: ERROR: <input>:1:21: undefined field 'nope'`,
        ' | self.i > 0 && self.o.nope == 1',
        ' | ....................^',
      ].join('\n'),
    );
  });

  it('reports all errors of a rule', () => {
    const text = verdict('foo && self.nope == 1 && bar(self)');
    expect(text.match(/ERROR: /g)).toHaveLength(3);
  });

  it('finds an object equal to itself although a field of it is null', () => {
    // The real server denies it, which makes objects with a null immutable by accident.
    expect(verdict('self == self')).toBe('');
  });

  it.each([
    ['an incomplete rule', '1 +'],
    ['an open text', '"abc'],
    ['a field without a name', 'self.'],
    ['brackets without number', '('.repeat(10_000)],
    ['operators without number', Array(10_000).fill('1').join('+')],
    ['conditions without number', `${'true?'.repeat(5000)}true${':true'.repeat(5000)}`],
    ['optional entries of literals', '[?self.s]'],
  ])('refuses %s', (_, rule) => {
    expect(verdict(rule)).toMatch(/^Invalid value: "object": rule compile error: compilation failed: /);
  });

  it('accepts a chain of many terms', () => {
    expect(verdict(Array(5000).fill('self.b').join(' && '))).toBe('');
  });
});
