/**
 * Hostile input: cyclic, huge, of any type.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../base/errors.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { applyDefaults } from './defaults.ts';
import { prune } from './prune.ts';
import { validate } from './validate.ts';

const STRING: StructuralSchema = { type: 'string' };
const INTEGER: StructuralSchema = { type: 'integer' };

function object(properties: StructuralSchema['properties'], rest: StructuralSchema = {}): StructuralSchema {
  return { type: 'object', ...(properties === undefined ? {} : { properties }), ...rest };
}

function lines(schema: StructuralSchema, value: unknown): readonly string[] {
  return validate(schema, value).map(formatProblem);
}

describe('validate survives', () => {
  it('a value with a cycle', () => {
    const circle: { [key: string]: unknown } = {};
    circle.self = circle;
    expect(lines(object({}), circle)).toEqual([
      'Invalid value: "": must not be nested deeper than 100 levels',
    ]);
  });

  it('a small value that expands to a huge one', () => {
    let value: unknown = 'x';
    for (let level = 0; level < 60; level++) value = [value, value];
    expect(lines({ type: 'array' }, value)).toEqual([
      'Invalid value: "": must not hold more than 1000000 values',
    ]);
  });

  it.each([
    ['a bigint', 5n],
    ['a function', () => 5],
    ['a symbol', Symbol('x')],
  ])('%s, which is no JSON', (_, x) => {
    expect(lines(object({ x: INTEGER }), { x })).toEqual([
      'Invalid value: "": must not hold what JSON cannot hold',
    ]);
  });

  it('keys that are names of inherited members', () => {
    const value: unknown = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2, "toString": 3}');
    expect(lines({ type: 'object', additionalProperties: INTEGER }, value)).toEqual([
      '__proto__: Invalid value: "object": .__proto__ in body must be of type integer: "object"',
    ]);
    expect(lines(object({ x: STRING }, { required: ['toString'] }), {})).toEqual([
      'toString: Required value',
    ]);
  });

  it('a schema with a cycle', () => {
    let schema: StructuralSchema = {};
    for (let level = 0; level < 10_000; level++) schema = { allOf: [schema] };
    expect(lines(schema, 'x')).toEqual(['Invalid value: "": its schema is too large to be applied']);
    expect(applyDefaults(schema, 'x')).toBe('x');
    expect(prune(schema, 'x').value).toBe('x');
  });

  it('a pattern with catastrophic backtracking', () => {
    const schema = object({ x: { ...STRING, pattern: '^(a+)+$' } });
    expect(lines(schema, { x: `${'a'.repeat(100_000)}!` })).toHaveLength(1);
  });

  const scalar = fc.oneof(
    fc.constantFrom('', 'a', '__proto__', '5Gi', '2024-01-01T00:00:00Z'),
    fc.integer(),
    fc.boolean(),
  );
  const rule = fc.constantFrom(
    'self == oldSelf',
    'self.a == 1',
    'self.size() > 0',
    'self',
    'self.all(x, x == x)',
    '((',
  );
  const { schema } = fc.letrec<{ schema: StructuralSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.record(
        {
          type: fc.constantFrom('string', 'integer', 'number', 'boolean'),
          format: fc.constantFrom('byte', 'date-time', 'duration', 'int32', 'uuid'),
          pattern: fc.constantFrom('^a', '(', '[[:alpha:]]'),
          enum: fc.array(scalar, { maxLength: 3 }),
          nullable: fc.boolean(),
          default: scalar,
          minLength: fc.nat(3),
          maximum: fc.integer(),
          'x-kubernetes-int-or-string': fc.boolean(),
          'x-kubernetes-validations': fc.array(fc.record({ rule }), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          type: fc.constant('object' as const),
          properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'metadata'), tie('schema')),
          additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
          required: fc.array(fc.constantFrom('a', 'toString'), { maxLength: 2 }),
          oneOf: fc.array(tie('schema'), { maxLength: 2 }),
          not: tie('schema'),
          default: fc.jsonValue(),
          'x-kubernetes-embedded-resource': fc.boolean(),
          'x-kubernetes-preserve-unknown-fields': fc.boolean(),
          'x-kubernetes-validations': fc.array(fc.record({ rule }), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          type: fc.constant('array' as const),
          items: tie('schema'),
          allOf: fc.array(tie('schema'), { maxLength: 2 }),
          'x-kubernetes-list-type': fc.constantFrom('set', 'map', 'atomic'),
          'x-kubernetes-list-map-keys': fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
          'x-kubernetes-validations': fc.array(fc.record({ rule }), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
    ) as fc.Arbitrary<StructuralSchema>,
  }));
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.object({ key: fc.constantFrom('a', 'b', 'metadata', '__proto__'), maxDepth: 4 }),
    fc.anything({ maxDepth: 3 }),
  );

  it('any value and any schema, as do applyDefaults and prune', () => {
    fc.assert(
      fc.property(schema, value, value, (shape, now, old) => {
        for (const problem of [...validate(shape, now), ...validate(shape, now, { old })]) {
          expect(problem.message).not.toBe('');
        }
        applyDefaults(shape, now);
        prune(shape, now);
      }),
      { numRuns: 1000 },
    );
  });

  it('any value and any schema with the same result twice', () => {
    fc.assert(
      fc.property(schema, value, (shape, now) => {
        expect(validate(shape, now)).toEqual(validate(shape, now));
      }),
      { numRuns: 200 },
    );
  });
});
