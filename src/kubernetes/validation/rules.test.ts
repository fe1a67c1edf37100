/**
 * When rules run, on what, and their error messages. The messages are those of the library that
 * kube-apiserver 1.33 uses (k8s.io/apiextensions-apiserver v0.33).
 */
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../base/errors.ts';
import type { StructuralSchema, ValidationRule } from '../schema/index.ts';
import { type ValidateOptions, validate } from './validate.ts';

const STRING: StructuralSchema = { type: 'string' };
const INTEGER: StructuralSchema = { type: 'integer' };

function ruled(schema: StructuralSchema, ...rules: readonly (string | ValidationRule)[]): StructuralSchema {
  const validations = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return { ...schema, 'x-kubernetes-validations': validations };
}

function object(properties: { readonly [name: string]: StructuralSchema }): StructuralSchema {
  return { type: 'object', properties };
}

function lines(schema: StructuralSchema, value: unknown, options: ValidateOptions = {}): readonly string[] {
  return validate(schema, value, options).map(formatProblem);
}

const fixed = ruled(STRING, { rule: 'self == oldSelf', message: 'x is immutable' });
const growing = object({ name: STRING, v: ruled(INTEGER, 'self >= oldSelf') });
const byName: StructuralSchema = {
  type: 'array',
  items: growing,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
};

describe('a rule that uses oldSelf', () => {
  it.each<
    [what: string, schema: StructuralSchema, old: unknown, value: unknown, expected: readonly string[]]
  >([
    [
      'runs on a change',
      object({ x: fixed }),
      { x: 'a' },
      { x: 'b' },
      ['x: Invalid value: "string": x is immutable'],
    ],
    ['holds without a change', object({ x: fixed }), { x: 'a' }, { x: 'a' }, []],
    ['does not run for a new field', object({ x: fixed }), {}, { x: 'b' }, []],
    ['does not run for a removed field', object({ x: fixed }), { x: 'a' }, {}, []],
    ['does not run without an old object', object({ x: fixed }), undefined, { x: 'b' }, []],
    [
      'pairs entries of maps',
      object({ x: { type: 'object', additionalProperties: fixed } }),
      { x: { k: 'a' } },
      { x: { k: 'b', new: 'c' } },
      ['x[k]: Invalid value: "string": x is immutable'],
    ],
    [
      'pairs items of map lists by their keys',
      object({ x: byName }),
      {
        x: [
          { name: 'q', v: 6 },
          { name: 'p', v: 1 },
        ],
      },
      {
        x: [
          { name: 'p', v: 1 },
          { name: 'q', v: 5 },
        ],
      },
      ['x[1].v: Invalid value: "integer": failed rule: self >= oldSelf'],
    ],
    [
      'does not pair items of atomic lists',
      object({ x: { type: 'array', items: growing, 'x-kubernetes-list-type': 'atomic' } }),
      { x: [{ name: 'p', v: 2 }] },
      { x: [{ name: 'p', v: 1 }] },
      [],
    ],
    [
      'does not pair items of sets',
      object({ x: { type: 'array', items: fixed, 'x-kubernetes-list-type': 'set' } }),
      { x: ['a'] },
      { x: ['b'] },
      [],
    ],
  ])('%s', (_, schema, old, value, expected) => {
    expect(lines(schema, value, old === undefined ? {} : { old })).toEqual(expected);
  });

  const optional = ruled(STRING, {
    rule: "oldSelf.hasValue() ? oldSelf.value() != self : self == 'first'",
    optionalOldSelf: true,
  });

  it.each<[what: string, old: unknown, value: unknown, isValid: boolean]>([
    ['runs on create', undefined, { x: 'a' }, false],
    ['gets nothing on create', undefined, { x: 'first' }, true],
    ['gets the old value on update', { x: 'a' }, { x: 'a' }, false],
    ['gets nothing where there was none', {}, { x: 'first' }, true],
  ])('%s if oldSelf is optional', (_, old, value, isValid) => {
    expect(lines(object({ x: optional }), value, old === undefined ? {} : { old })).toHaveLength(
      isValid ? 0 : 1,
    );
  });
});

describe('a rule that does not use oldSelf', () => {
  const picky = ruled(STRING, "self == 'z'");

  it('is ignored if its value has not changed', () => {
    const schema = object({ x: picky, y: STRING });
    expect(lines(schema, { x: 'a', y: '2' }, { old: { x: 'a', y: '1' } })).toEqual([]);
  });

  it('is ignored in an unchanged list, but not in a changed one', () => {
    const schema = object({ x: { type: 'array', items: picky } });
    expect(lines(schema, { x: ['a'] }, { old: { x: ['a'] } })).toEqual([]);
    expect(lines(schema, { x: ['a', 'z'] }, { old: { x: ['a'] } })).toHaveLength(1);
  });

  it('is not ignored if another field of its value has changed', () => {
    const schema = ruled(object({ x: STRING, y: STRING }), "self.x == 'z'");
    expect(lines(schema, { x: 'a', y: '2' }, { old: { x: 'a', y: '1' } })).toHaveLength(1);
  });

  it('does not run on null', () => {
    expect(lines(object({ x: { ...picky, nullable: true } }), { x: null })).toEqual([]);
  });

  it('runs if it is in a branch of an allOf', () => {
    const schema: StructuralSchema = {
      ...ruled(object({ x: STRING }), 'true'),
      allOf: [{ properties: { x: { 'x-kubernetes-validations': [{ rule: "self == 'z'" }] } } }],
    };
    expect(lines(schema, { x: 'a' })).toEqual([`x: Invalid value: "string": failed rule: self == 'z'`]);
  });
});

describe('a failed rule', () => {
  const fails = (rule: Omit<ValidationRule, 'rule'>): readonly string[] =>
    lines(
      ruled(object({ a: STRING, m: { type: 'object', additionalProperties: STRING } }), {
        rule: 'false',
        ...rule,
      }),
      { a: 'x' },
    );

  it.each<[what: string, rule: Omit<ValidationRule, 'rule'>, expected: string]>([
    ['is quoted if it has no message', {}, 'Invalid value: "object": failed rule: false'],
    ['gives its message', { message: '  no \n' }, 'Invalid value: "object": no'],
    [
      'computes its message',
      { message: 'no', messageExpression: "'a is ' + self.a" },
      'Invalid value: "object": a is x',
    ],
    [
      'falls back if the message cannot be computed',
      { message: 'no', messageExpression: 'self.m.a' },
      'Invalid value: "object": no',
    ],
    [
      'falls back if the message is empty',
      { messageExpression: "' '" },
      'Invalid value: "object": failed rule: false',
    ],
    [
      'falls back if the message has several lines',
      { message: 'no', messageExpression: "'a\\nb'" },
      'Invalid value: "object": no',
    ],
    ['points to a field', { fieldPath: '.a' }, 'a: Invalid value: "object": failed rule: false'],
    ['points to an entry', { fieldPath: ".m['k']" }, 'm[k]: Invalid value: "object": failed rule: false'],
    [
      'has its own path if fieldPath does not exist',
      { fieldPath: '.b' },
      'Invalid value: "object": failed rule: false',
    ],
    ['can call something required', { reason: 'FieldValueRequired', message: 'no' }, 'Required value: no'],
    [
      'can have the reason FieldValueForbidden',
      { reason: 'FieldValueForbidden', message: 'no' },
      'Forbidden: no',
    ],
    [
      'can have the reason FieldValueDuplicate',
      { reason: 'FieldValueDuplicate', message: 'no' },
      'Duplicate value: "object"',
    ],
  ])('%s', (_, rule, expected) => {
    expect(fails(rule)).toEqual([expected]);
  });

  it('has the reason of the rule', () => {
    const schema = ruled(STRING, { rule: 'false', reason: 'FieldValueForbidden' });
    expect(validate(schema, 'x')[0]?.reason).toBe('FieldValueForbidden');
  });

  it('does not stop the next rule', () => {
    expect(lines(ruled(INTEGER, 'self.nope', 'self / 0 == 1', 'false', ' '), 5)).toHaveLength(3);
  });
});

describe('rules on a whole object', () => {
  const value = { metadata: { name: 'x', labels: {} }, kind: 'K' };

  it('have access to its name and kind', () => {
    const rule = "self.metadata.name == 'cluster' && self.kind == 'K'";
    expect(lines(ruled(object({ metadata: { type: 'object' } }), rule), value)).toEqual([
      `Invalid value: "object": failed rule: ${rule}`,
    ]);
  });

  it('have no access to the rest of its metadata', () => {
    expect(lines(ruled(object({}), 'has(self.metadata.labels)'), value)[0]).toContain(
      "undefined field 'labels'",
    );
  });

  it('have no access to a name in a part of an object', () => {
    const schema = ruled(object({}), "self.metadata.name == 'x'");
    expect(lines(schema, {}, { path: 'status' })[0]).toContain(
      'status: Invalid value: "object": rule compile error',
    );
  });

  it('have access to the name of an embedded resource', () => {
    const resource: StructuralSchema = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const schema = object({ e: ruled(resource, "self.metadata.name == 'y'") });
    expect(lines(schema, { e: { apiVersion: 'v1', ...value } })).toEqual([
      `e: Invalid value: "object": failed rule: self.metadata.name == 'y'`,
    ]);
  });
});

describe('the cost limit', () => {
  const numbers = (count: number): readonly number[] =>
    Array.from({ length: count }, (_, index) => index + 1);
  const list: StructuralSchema = { type: 'array', items: INTEGER };
  const tooDear =
    "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule";

  it.each([
    ['three nested loops', 'self.l.all(x, self.l.all(y, self.l.all(z, x + y + z > 0)))', { l: numbers(150) }],
    [
      'a list in every item of a list',
      'self.l.map(x, self.l.map(y, self.l)).size() > 0',
      { l: numbers(1000) },
    ],
    ['a search in every iteration', 'self.l.all(x, x in self.l)', { l: numbers(5000) }],
    [
      'a string in every character of a string',
      'self.s.replace("x", self.s).size() > 0',
      { s: 'x'.repeat(100_000) },
    ],
    [
      'a long string measured in every iteration',
      'self.l.all(x, self.s.size() > 0)',
      { l: numbers(1000), s: 'x'.repeat(1_000_000) },
    ],
    [
      'a comparison of the whole object in every iteration',
      'self.l.all(x, self == self)',
      { l: numbers(5000) },
    ],
    [
      'an error that a condition hides',
      'self.l.all(x, self.l.all(y, self.l.all(z, x / 0 == 1))) || true',
      { l: numbers(150) },
    ],
  ])('stops a rule of %s', (_, rule, value) => {
    const schema = ruled(object({ l: list, s: STRING }), rule, 'false');
    expect(lines(schema, value)).toEqual([`Invalid value: "object": ${tooDear}: ${rule}`]);
  });

  it('stops all rules that together cost too much', () => {
    const dear = ruled(list, 'self.all(x, self.exists(y, y == x))');
    const schema = object(Object.fromEntries(numbers(20).map((index) => [`l${index}`, dear])));
    const value = Object.fromEntries(numbers(20).map((index) => [`l${index}`, numbers(500)]));
    const found = lines(schema, value);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(
      'Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    );
  });

  it('allows a nested loop over a few hundred items', () => {
    const schema = ruled(list, 'self.all(x, self.exists(y, y == x))');
    expect(lines(schema, numbers(400))).toEqual([]);
  });
});

describe('a rule on a value without a type', () => {
  it('is an error', () => {
    const schema = ruled({ 'x-kubernetes-preserve-unknown-fields': true }, 'true');
    expect(lines(schema, 5, { path: 'x' })).toEqual([
      'x: Invalid value: "": rule compiler initialization error: failed to convert to declType for CEL validation rules',
    ]);
  });
});
