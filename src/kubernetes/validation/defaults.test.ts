/** Checked against the defaulting of k8s.io/apiextensions-apiserver v0.33. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../schema/index.ts';
import { applyDefaults } from './defaults.ts';

const withDefault = (value: unknown, rest: StructuralSchema = {}): StructuralSchema => ({
  default: value,
  ...rest,
});

function object(properties: { readonly [name: string]: StructuralSchema }): StructuralSchema {
  return { type: 'object', properties };
}

describe('applyDefaults', () => {
  it.each<[what: string, schema: StructuralSchema, value: unknown, expected: unknown]>([
    ['fills in a missing field', object({ a: withDefault(1) }), {}, { a: 1 }],
    ['keeps an existing field', object({ a: withDefault(1) }), { a: 2 }, { a: 2 }],
    [
      'keeps empty strings, zero and false',
      object({ a: withDefault(1), b: withDefault(true) }),
      { a: '', b: false },
      { a: '', b: false },
    ],
    ['does not create the object around it', object({ o: object({ a: withDefault(1) }) }), {}, {}],
    [
      'fills in fields of an existing object',
      object({ o: object({ a: withDefault(1) }) }),
      { o: {} },
      { o: { a: 1 } },
    ],
    [
      'fills in fields of a default',
      object({ o: { ...object({ a: withDefault(1) }), default: {} } }),
      {},
      { o: { a: 1 } },
    ],
    [
      'fills in the items of a list',
      { type: 'array', items: object({ a: withDefault(1) }) },
      [{}, { a: 2 }],
      [{ a: 1 }, { a: 2 }],
    ],
    [
      'fills in the entries of a map',
      { type: 'object', additionalProperties: object({ a: withDefault(1) }) },
      { k: {} },
      { k: { a: 1 } },
    ],
    ['replaces a null by the default', object({ a: withDefault(1) }), { a: null }, { a: 1 }],
    ['keeps a nullable null', object({ a: withDefault(1, { nullable: true }) }), { a: null }, { a: null }],
    ['drops a null without a default', object({ a: { type: 'string' } }), { a: null, b: null }, { b: null }],
    ['drops a null in a map', { type: 'object', additionalProperties: { type: 'string' } }, { k: null }, {}],
    ['keeps a null in a list', { type: 'array', items: { type: 'string' } }, ['a', null], ['a', null]],
    [
      'replaces a null in a list by the default',
      { type: 'array', items: withDefault('b') },
      ['a', null],
      ['a', 'b'],
    ],
    [
      'ignores values of the wrong type',
      object({ a: object({ b: withDefault(1) }) }),
      { a: 'x' },
      { a: 'x' },
    ],
    ['ignores fields without a schema', object({}), { x: { y: null } }, { x: { y: null } }],
  ])('%s', (_, schema, value, expected) => {
    expect(applyDefaults(schema, value)).toEqual(expected);
  });

  it('returns the same value if nothing is missing', () => {
    const schema = object({ a: withDefault(1), l: { type: 'array', items: object({ b: withDefault(2) }) } });
    const value = { a: 3, l: [{ b: 4 }] };
    expect(applyDefaults(schema, value)).toBe(value);
  });

  it('shares the unchanged parts', () => {
    const value = { same: { x: 1 } };
    const result = applyDefaults(object({ same: object({}), a: withDefault(1) }), value);
    expect(result).toEqual({ same: { x: 1 }, a: 1 });
    expect((result as typeof value).same).toBe(value.same);
  });

  it('does not modify its input nor return parts of the schema', () => {
    const initial = { list: [1] };
    const schema = object({ a: withDefault(initial) });
    const value = Object.freeze({});
    const result = applyDefaults(schema, value) as { readonly a: unknown };
    expect(result.a).toEqual(initial);
    expect(result.a).not.toBe(initial);
  });

  it('keeps a key named __proto__', () => {
    const value: unknown = JSON.parse('{"__proto__": {"polluted": true}}');
    const result = applyDefaults(object({ a: withDefault(1) }), value) as { readonly polluted?: boolean };
    expect(Object.keys(result)).toEqual(['__proto__', 'a']);
    expect(result.polluted).toBeUndefined();
  });

  it('is idempotent', () => {
    const schema = object({
      a: withDefault(1),
      o: { ...object({ b: withDefault([null]), c: { type: 'string' } }), default: { c: 'x' } },
      l: { type: 'array', items: object({ a: withDefault('y', { nullable: true }) }) },
    });
    const key = fc.constantFrom('a', 'b', 'c', 'o', 'l');
    fc.assert(
      fc.property(fc.object({ key, values: [fc.constantFrom(null, 1, 'x')], maxDepth: 4 }), (value) => {
        const once = applyDefaults(schema, value);
        expect(applyDefaults(schema, once)).toBe(once);
      }),
    );
  });
});
