/**
 * The validation errors of kube-apiserver. Every message below is from the library that it uses
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
      'a string in place of a number',
      INTEGER,
      'a',
      ['x: Invalid value: "string": x in body must be of type integer: "string"'],
    ],
    [
      'a fraction in place of an integer',
      INTEGER,
      1.5,
      ['x: Invalid value: "number": x in body must be of type integer: "number"'],
    ],
    [
      'an integer of more than 64 bits',
      INTEGER,
      1e20,
      ['x: Invalid value: "number": x in body must be of type integer: "number"'],
    ],
    ['null', STRING, null, ['x: Invalid value: "null": x in body must be of type string: "null"']],
    ['no error for a nullable null', { ...STRING, nullable: true }, null, []],
    [
      'an object in place of a list',
      { type: 'array', items: STRING },
      {},
      ['x: Invalid value: "object": x in body must be of type array: "object"'],
    ],
    ['no error for an integer in place of a number', NUMBER, 3, []],
    [
      'a boolean in place of int-or-string',
      INT_OR_STRING,
      true,
      [
        'x: Invalid value: "boolean": x in body must be of type integer,string: "boolean"',
        'Invalid value: "": "x" must validate at least one schema (anyOf)',
        'x: Invalid value: "boolean": x in body must be of type integer: "boolean"',
      ],
    ],
    [
      'an invalid time',
      { ...STRING, format: 'date-time' },
      'now',
      ['x: Invalid value: "now": x in body must be of type date-time: "now"'],
    ],
    [
      'a number in place of a time',
      { ...STRING, format: 'date-time' },
      5,
      ['x: Invalid value: "int64": x in body must be of type date-time: "int64"'],
    ],
    [
      'an object in place of a time',
      { ...STRING, format: 'date-time' },
      {},
      ['x: Invalid value: "": x in body must be of type date-time: ""'],
    ],
    ['no error for a format that is not checked', { ...INTEGER, format: 'int32' }, 2 ** 40, []],
    [
      'a string that is not in the enum',
      { ...STRING, enum: ['a', 'b'] },
      'c',
      ['x: Unsupported value: "c": supported values: "a", "b"'],
    ],
    [
      'a number that is not in the enum',
      { ...INTEGER, enum: [1, 2] },
      3,
      ['x: Unsupported value: 3: supported values: "1", "2"'],
    ],
    [
      'an object that is not in the enum',
      { type: 'object', enum: ['a'] },
      { b: [1] },
      ['x: Unsupported value: map[string]interface {}{"b":[]interface {}{1}}: supported values: "a"'],
    ],
    [
      'a string that is too long',
      { ...STRING, maxLength: 2 },
      'abc',
      ['x: Too long: may not be more than 2 bytes'],
    ],
    ['no error for two characters of four bytes each', { ...STRING, maxLength: 2 }, '😀😀', []],
    [
      'a string that is too short',
      { ...STRING, minLength: 1 },
      '',
      ['x: Invalid value: "": x in body should be at least 1 chars long'],
    ],
    [
      'a string that does not match the pattern',
      { ...STRING, pattern: '^[a-z]$' },
      'A\n',
      ['x: Invalid value: "A\\n": x in body should match \'^[a-z]$\''],
    ],
    ['no error for an RE2 pattern', { ...STRING, pattern: '(?i)^[[:alpha:]]+\\z' }, 'aB', []],
    [
      'an invalid pattern',
      { ...STRING, pattern: '(' },
      'a',
      [
        'x: Invalid value: "a": x in body should match \'(, but pattern is invalid: error parsing regexp: missing closing ): `(`\'',
      ],
    ],
    [
      'a number below the minimum',
      { ...INTEGER, minimum: 0 },
      -1,
      ['x: Invalid value: -1: x in body should be greater than or equal to 0'],
    ],
    [
      'a number above the maximum',
      { ...NUMBER, maximum: 1.5 },
      2.5,
      ['x: Invalid value: 2.5: x in body should be less than or equal to 1.5'],
    ],
    [
      'a list that is too long',
      { type: 'array', items: STRING, maxItems: 1 },
      ['a', 'b'],
      ['x: Too many: 2: must have at most 1 items'],
    ],
    [
      'a list that is too short',
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
      'a forbidden key',
      { type: 'object', additionalProperties: false },
      { k: 1 },
      ['x: Invalid value: "k": x.k in body is a forbidden property'],
    ],
    [
      'a value that matches none of anyOf',
      { ...STRING, oneOf: [{ pattern: '^a' }, { minLength: 5 }] },
      'b',
      [
        'Invalid value: "": "x" must validate one and only one schema (oneOf). Found none valid',
        'x: Invalid value: "b": x in body should match \'^a\'',
      ],
    ],
    [
      'a value that matches more than one of oneOf',
      { ...STRING, oneOf: [{ pattern: 'b' }, { minLength: 1 }] },
      'b',
      ['Invalid value: "": "x" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      'a value that does not match allOf',
      { ...STRING, allOf: [{ pattern: '^a' }, { minLength: 1 }] },
      'b',
      [
        'x: Invalid value: "b": x in body should match \'^a\'',
        'Invalid value: "": "x" must validate all the schemas (allOf)',
      ],
    ],
    [
      'a value that matches not',
      { ...STRING, not: { pattern: '^b' } },
      'b',
      ['Invalid value: "": "x" must not validate the schema (not)'],
    ],
    [
      'a set with duplicates',
      { type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' },
      ['a', 'b', 'a', 'a'],
      ['x[2]: Duplicate value: "a"'],
    ],
  ])('reports %s', (_, schema, value, expected) => {
    expect(lines(field(schema), { x: value })).toEqual(expected);
  });

  it('reports a list in place of a formatted string, which kube-apiserver does not', () => {
    const text = 'x: Invalid value: "array": x in body must be of type string: "array"';
    expect(lines(field({ ...STRING, format: 'date-time' }), { x: [] })).toEqual([text]);
  });

  it('accepts a null that is in the enum, which kube-apiserver refuses', () => {
    expect(lines(field({ ...STRING, nullable: true, enum: ['a', null] }), { x: null })).toEqual([]);
  });

  it('reports the keys of duplicates in a map list', () => {
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

  it('reports all errors at once, each with its reason', () => {
    const schema = object({ a: INTEGER, b: { ...STRING, maxLength: 1 } }, { required: ['c'] });
    expect(validate(schema, { a: 'x', b: 'xx' }).map(({ path, reason }) => [path, reason])).toEqual([
      ['a', 'FieldValueTypeInvalid'],
      ['b', 'FieldValueTooLong'],
      ['c', 'FieldValueRequired'],
    ]);
  });

  it('prefixes the path of errors, and names fields relative to it', () => {
    expect(lines(field(INTEGER), { x: 'a' }, { path: 'status' })).toEqual([
      'status.x: Invalid value: "string": x in body must be of type integer: "string"',
    ]);
  });

  it('requires apiVersion and kind of an embedded resource', () => {
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
    ['a string that is too long', 'Too long', field({ ...STRING, maxLength: 0 }), { x: 'a' }],
  ])('does not run rules on an object with an error in %s, and reports that', (_, text, schema, value) => {
    const ruled = { ...schema, 'x-kubernetes-validations': [{ rule: 'false' }] };
    const found = lines(ruled, value);
    expect(found[0]).toContain(text);
    expect(found[1]).toBe(
      'Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    );
    expect(found).toHaveLength(2);
  });

  it('runs rules on an object with errors that rules do not depend on', () => {
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

  it('does not take a part with an ignored error for a valid one', () => {
    const schema = object({ x: object({ v: short }), y: STRING });
    const x = { v: 'aa' };
    expect(validate(schema, { x, y: '2' }, { old: { x, y: '1' } })).toEqual([]);
    expect(validate(schema, { x }, { old: { x: { v: 'b' } } })).toHaveLength(1);
  });

  it('checks a part that is valid under one schema under another', () => {
    const x = { v: 'aa' };
    const old = { x: { v: 'b' } };
    expect(validate(field(object({ v: STRING })), { x }, { old })).toEqual([]);
    expect(validate(field(object({ v: short })), { x }, { old })).toHaveLength(1);
  });

  it.each<[what: string, schema: StructuralSchema, old: unknown, value: unknown, paths: readonly string[]]>([
    [
      'ignores an error in an unchanged value',
      object({ x: short, y: STRING }),
      { x: 'aa', y: '1' },
      { x: 'aa', y: '2' },
      [],
    ],
    ['reports an error in a changed value', field(short), { x: 'aa' }, { x: 'bb' }, ['x']],
    ['reports an error in a new field', field(short), {}, { x: 'aa' }, ['x']],
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
      'ignores errors in an unchanged list',
      field({ type: 'array', items: short }),
      { x: ['aa'] },
      { x: ['aa'] },
      [],
    ],
    [
      'always reports errors in kind',
      object({ kind: short, y: STRING }),
      { kind: 'aa', y: '1' },
      { kind: 'aa', y: '2' },
      ['kind'],
    ],
    [
      'ignores duplicates that existed before',
      field({ type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' }),
      { x: ['a', 'a'] },
      { x: ['b', 'b'] },
      [],
    ],
  ])('%s', (_, schema, old, value, paths) => {
    expect(validate(schema, value, { old }).map(({ path }) => path)).toEqual(paths);
  });
});
