/**
 * What kube-apiserver says about an object. Every text below was seen from the library that it uses
 * (k8s.io/apiextensions-apiserver v0.33); where we differ on purpose, the test says so.
 */
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../base/errors.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { type ValidateOptions, validate } from './validate.ts';

const STRING: StructuralSchema = { type: 'string' };
const INTEGER: StructuralSchema = { type: 'integer' };
const NUMBER: StructuralSchema = { type: 'number' };
const INT_OR_STRING: StructuralSchema = {
  'x-kubernetes-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
};

function object(properties: StructuralSchema['properties'], rest: StructuralSchema = {}): StructuralSchema {
  return { type: 'object', ...(properties === undefined ? {} : { properties }), ...rest };
}

/** The schema of an object whose only field is `x`. */
const field = (schema: StructuralSchema): StructuralSchema => object({ x: schema });

function lines(schema: StructuralSchema, value: unknown, options: ValidateOptions = {}): readonly string[] {
  return validate(schema, value, options).map(formatProblem);
}

describe('validate', () => {
  it.each<[what: string, schema: StructuralSchema, value: unknown, expected: readonly string[]]>([
    [
      'a text for a number',
      INTEGER,
      'a',
      ['x: Invalid value: "string": x in body must be of type integer: "string"'],
    ],
    [
      'a fraction for an integer',
      INTEGER,
      1.5,
      ['x: Invalid value: "number": x in body must be of type integer: "number"'],
    ],
    [
      'more than 64 bits',
      INTEGER,
      1e20,
      ['x: Invalid value: "number": x in body must be of type integer: "number"'],
    ],
    ['null', STRING, null, ['x: Invalid value: "null": x in body must be of type string: "null"']],
    ['null where it may be', { ...STRING, nullable: true }, null, []],
    [
      'an object for a list',
      { type: 'array', items: STRING },
      {},
      ['x: Invalid value: "object": x in body must be of type array: "object"'],
    ],
    ['a whole number for a number', NUMBER, 3, []],
    [
      'a boolean for a number or text',
      INT_OR_STRING,
      true,
      [
        'x: Invalid value: "boolean": x in body must be of type integer,string: "boolean"',
        'Invalid value: "": "x" must validate at least one schema (anyOf)',
        'x: Invalid value: "boolean": x in body must be of type integer: "boolean"',
      ],
    ],
    [
      'a bad time',
      { ...STRING, format: 'date-time' },
      'now',
      ['x: Invalid value: "now": x in body must be of type date-time: "now"'],
    ],
    [
      'a number for a time',
      { ...STRING, format: 'date-time' },
      5,
      ['x: Invalid value: "int64": x in body must be of type date-time: "int64"'],
    ],
    [
      'an object for a time',
      { ...STRING, format: 'date-time' },
      {},
      ['x: Invalid value: "": x in body must be of type date-time: ""'],
    ],
    ['a format that nobody checks', { ...INTEGER, format: 'int32' }, 2 ** 40, []],
    [
      'a value that is not listed',
      { ...STRING, enum: ['a', 'b'] },
      'c',
      ['x: Unsupported value: "c": supported values: "a", "b"'],
    ],
    [
      'a number that is not listed',
      { ...INTEGER, enum: [1, 2] },
      3,
      ['x: Unsupported value: 3: supported values: "1", "2"'],
    ],
    [
      'an object that is not listed',
      { type: 'object', enum: ['a'] },
      { b: [1] },
      ['x: Unsupported value: map[string]interface {}{"b":[]interface {}{1}}: supported values: "a"'],
    ],
    ['a long text', { ...STRING, maxLength: 2 }, 'abc', ['x: Too long: may not be more than 2 bytes']],
    ['two characters of four bytes each', { ...STRING, maxLength: 2 }, '😀😀', []],
    [
      'a short text',
      { ...STRING, minLength: 1 },
      '',
      ['x: Invalid value: "": x in body should be at least 1 chars long'],
    ],
    [
      'a text that does not match',
      { ...STRING, pattern: '^[a-z]$' },
      'A\n',
      ['x: Invalid value: "A\\n": x in body should match \'^[a-z]$\''],
    ],
    ['a pattern of RE2', { ...STRING, pattern: '(?i)^[[:alpha:]]+\\z' }, 'aB', []],
    [
      'a broken pattern',
      { ...STRING, pattern: '(' },
      'a',
      [
        'x: Invalid value: "a": x in body should match \'(, but pattern is invalid: error parsing regexp: missing closing ): `(`\'',
      ],
    ],
    [
      'a small number',
      { ...INTEGER, minimum: 0 },
      -1,
      ['x: Invalid value: -1: x in body should be greater than or equal to 0'],
    ],
    [
      'a large number',
      { ...NUMBER, maximum: 1.5 },
      2.5,
      ['x: Invalid value: 2.5: x in body should be less than or equal to 1.5'],
    ],
    [
      'a long list',
      { type: 'array', items: STRING, maxItems: 1 },
      ['a', 'b'],
      ['x: Too many: 2: must have at most 1 items'],
    ],
    [
      'a short list',
      { type: 'array', items: STRING, minItems: 1 },
      [],
      ['x: Invalid value: 0: x in body should have at least 1 items'],
    ],
    [
      'few keys',
      { type: 'object', minProperties: 1 },
      {},
      ['x: Invalid value: 0: x in body should have at least 1 properties'],
    ],
    [
      'many keys',
      { type: 'object', maxProperties: 1 },
      { a: 1, b: 2 },
      ['x: Too many: 2: must have at most 1 items'],
    ],
    ['a missing field', object({ y: STRING }, { required: ['y'] }), {}, ['x.y: Required value']],
    [
      'an entry of a map',
      { type: 'object', additionalProperties: INTEGER },
      { k: 'v' },
      ['x.k: Invalid value: "string": x.k in body must be of type integer: "string"'],
    ],
    [
      'an item of a list',
      { type: 'array', items: INTEGER },
      [1, 'a'],
      ['x[1]: Invalid value: "string": x[1] in body must be of type integer: "string"'],
    ],
    [
      'a key that is forbidden',
      { type: 'object', additionalProperties: false },
      { k: 1 },
      ['x: Invalid value: "k": x.k in body is a forbidden property'],
    ],
    [
      'none of several',
      { ...STRING, oneOf: [{ pattern: '^a' }, { minLength: 5 }] },
      'b',
      [
        'Invalid value: "": "x" must validate one and only one schema (oneOf). Found none valid',
        'x: Invalid value: "b": x in body should match \'^a\'',
      ],
    ],
    [
      'more than one of several',
      { ...STRING, oneOf: [{ pattern: 'b' }, { minLength: 1 }] },
      'b',
      ['Invalid value: "": "x" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      'not all of several',
      { ...STRING, allOf: [{ pattern: '^a' }, { minLength: 1 }] },
      'b',
      [
        'x: Invalid value: "b": x in body should match \'^a\'',
        'Invalid value: "": "x" must validate all the schemas (allOf)',
      ],
    ],
    [
      'what must not be',
      { ...STRING, not: { pattern: '^b' } },
      'b',
      ['Invalid value: "": "x" must not validate the schema (not)'],
    ],
    [
      'a set with twins',
      { type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' },
      ['a', 'b', 'a', 'a'],
      ['x[2]: Duplicate value: "a"'],
    ],
  ])('says about %s', (_, schema, value, expected) => {
    expect(lines(field(schema), { x: value })).toEqual(expected);
  });

  it('finds a list where a formatted text should be, which the real server overlooks', () => {
    const text = 'x: Invalid value: "array": x in body must be of type string: "array"';
    expect(lines(field({ ...STRING, format: 'date-time' }), { x: [] })).toEqual([text]);
  });

  it('accepts a null that an enum lists, which the real server refuses', () => {
    expect(lines(field({ ...STRING, nullable: true, enum: ['a', null] }), { x: null })).toEqual([]);
  });

  it('names the keys of twins in a map list', () => {
    const schema: StructuralSchema = {
      type: 'array',
      items: object({ a: STRING, b: INTEGER }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a', 'b'],
    };
    const twins = [{ a: '1', b: 2 }, { a: '1', b: 2 }, { a: '1' }, { a: '1' }];
    expect(lines(field(schema), { x: twins })).toEqual([
      'x[1]: Duplicate value: map[string]interface {}{"a":"1", "b":2}',
      'x[3]: Duplicate value: map[string]interface {}{"a":"1"}',
    ]);
  });

  it('reports every problem at once, each with its reason', () => {
    const schema = object({ a: INTEGER, b: { ...STRING, maxLength: 1 } }, { required: ['c'] });
    expect(validate(schema, { a: 'x', b: 'xx' }).map(({ path, reason }) => [path, reason])).toEqual([
      ['a', 'FieldValueTypeInvalid'],
      ['b', 'FieldValueTooLong'],
      ['c', 'FieldValueRequired'],
    ]);
  });

  it('puts a path before its own and speaks of names below it', () => {
    expect(lines(field(INTEGER), { x: 'a' }, { path: 'status' })).toEqual([
      'status.x: Invalid value: "string": x in body must be of type integer: "string"',
    ]);
  });

  it('asks an embedded resource for what it is', () => {
    const resource: StructuralSchema = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    expect(lines(field(resource), { x: { apiVersion: 'a/b/c' } })).toEqual([
      'x.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      'x.kind: Required value: must not be empty',
    ]);
  });

  it.each<[what: string, reason: string, schema: StructuralSchema, value: unknown]>([
    ['a type', 'must be of type', field(INTEGER), { x: 'a' }],
    ['a missing field', 'Required value', object({ x: STRING }, { required: ['x'] }), {}],
    ['a long text', 'Too long', field({ ...STRING, maxLength: 0 }), { x: 'a' }],
  ])('does not run rules on an object that is wrong in %s, and says so', (_, text, schema, value) => {
    const ruled = { ...schema, 'x-kubernetes-validations': [{ rule: 'false' }] };
    const found = lines(ruled, value);
    expect(found[0]).toContain(text);
    expect(found[1]).toBe(
      'Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    );
    expect(found).toHaveLength(2);
  });

  it('runs rules on an object that is wrong in what rules do not rely on', () => {
    const schema = {
      ...field({ ...STRING, pattern: '^b' }),
      'x-kubernetes-validations': [{ rule: 'false' }],
    };
    expect(lines(schema, { x: 'a' })).toEqual([
      'x: Invalid value: "a": x in body should match \'^b\'',
      'Invalid value: "object": failed rule: false',
    ]);
  });
});

describe('validate on an update', () => {
  const short: StructuralSchema = { ...STRING, maxLength: 1 };
  const named: StructuralSchema = {
    type: 'array',
    items: object({ name: STRING, v: short }),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  };

  it.each<[what: string, schema: StructuralSchema, old: unknown, value: unknown, paths: readonly string[]]>([
    [
      'forgives what was wrong before',
      object({ x: short, y: STRING }),
      { x: 'aa', y: '1' },
      { x: 'aa', y: '2' },
      [],
    ],
    ['does not forgive another wrong value', field(short), { x: 'aa' }, { x: 'bb' }, ['x']],
    ['does not forgive a new field', field(short), {}, { x: 'aa' }, ['x']],
    [
      'pairs the items of a map list by their keys',
      field(named),
      {
        x: [
          { name: 'a', v: 'aa' },
          { name: 'b', v: 'bb' },
        ],
      },
      {
        x: [
          { name: 'b', v: 'bb' },
          { name: 'a', v: 'cc' },
        ],
      },
      ['x[1].v'],
    ],
    [
      'does not pair the items of other lists',
      field({ type: 'array', items: short }),
      { x: ['aa'] },
      { x: ['aa', 'b'] },
      ['x[0]'],
    ],
    [
      'forgives a whole list that is the same',
      field({ type: 'array', items: short }),
      { x: ['aa'] },
      { x: ['aa'] },
      [],
    ],
    [
      'never forgives kind',
      object({ kind: short, y: STRING }),
      { kind: 'aa', y: '1' },
      { kind: 'aa', y: '2' },
      ['kind'],
    ],
    [
      'lets an object keep its twins',
      field({ type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' }),
      { x: ['a', 'a'] },
      { x: ['b', 'b'] },
      [],
    ],
  ])('%s', (_, schema, old, value, paths) => {
    expect(validate(schema, value, { old }).map(({ path }) => path)).toEqual(paths);
  });
});
