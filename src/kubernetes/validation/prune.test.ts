/** Checked against the pruning of k8s.io/apiextensions-apiserver v0.33. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../schema/index.ts';
import { prune } from './prune.ts';

const STRING: StructuralSchema = { type: 'string' };
const OPEN: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function object(
  properties: { readonly [name: string]: StructuralSchema },
  rest: StructuralSchema = {},
): StructuralSchema {
  return { type: 'object', properties, ...rest };
}

describe('prune', () => {
  it.each<
    [what: string, schema: StructuralSchema, value: unknown, expected: unknown, dropped: readonly string[]]
  >([
    ['drops a field that has no schema', object({ a: STRING }), { a: 'x', b: { c: 1 } }, { a: 'x' }, ['b']],
    [
      'reports the dropped paths in order',
      object({ spec: object({ l: { type: 'array', items: object({ a: STRING }) } }) }),
      { spec: { z: 1, l: [{ a: 'x' }, { b: 1 }] } },
      { spec: { l: [{ a: 'x' }, {}] } },
      ['spec.l[1].b', 'spec.z'],
    ],
    [
      'keeps apiVersion, kind and metadata at the root',
      object({}),
      { apiVersion: 'v1', kind: 'K', metadata: { name: 'n', anything: 1 } },
      { apiVersion: 'v1', kind: 'K', metadata: { name: 'n', anything: 1 } },
      [],
    ],
    [
      'drops apiVersion, kind and metadata below the root',
      object({ a: object({}) }),
      { a: { metadata: {} } },
      { a: {} },
      ['a.metadata'],
    ],
    [
      'keeps apiVersion, kind and metadata in an embedded resource',
      object({ e: object({}, { 'x-kubernetes-embedded-resource': true }) }),
      { e: { kind: 'K', metadata: { x: 1 }, spec: {} } },
      { e: { kind: 'K', metadata: { x: 1 } } },
      ['e.spec'],
    ],
    [
      'keeps everything in an open object',
      object({ a: OPEN }),
      { a: { x: { y: [1] } } },
      { a: { x: { y: [1] } } },
      [],
    ],
    [
      'drops unknown fields below a known field of an open object',
      object({ a: { ...OPEN, properties: { n: object({}) } } }),
      { a: { x: 1, n: { y: 1 } } },
      { a: { x: 1, n: {} } },
      ['a.n.y'],
    ],
    [
      'keeps the keys of a map',
      { type: 'object', additionalProperties: object({ a: STRING }) },
      { k: { a: 'x', b: 1 } },
      { k: { a: 'x' } },
      ['k.b'],
    ],
    [
      'keeps the keys of additionalProperties: true, but not the fields below them',
      object({ a: { type: 'object', additionalProperties: true } }),
      { a: { k: 'v', o: { x: 1 } } },
      { a: { k: 'v', o: {} } },
      ['a.o.x'],
    ],
    ['ignores values of the wrong type', object({ a: object({}) }), { a: 'x' }, { a: 'x' }, []],
  ])('%s', (_, schema, value, expected, dropped) => {
    expect(prune(schema, value)).toEqual({ value: expected, unknownFields: dropped });
  });

  it('returns the same value if there are no unknown fields', () => {
    const value = { a: 'x', o: { l: [{ a: 'y' }] } };
    const schema = object({ a: STRING, o: object({ l: { type: 'array', items: object({ a: STRING }) } }) });
    expect(prune(schema, value).value).toBe(value);
  });

  it('drops or keeps a key named __proto__ like any other', () => {
    const value: unknown = JSON.parse('{"a": "x", "__proto__": {"b": 1}}');
    expect(prune(object({ a: STRING }), value)).toEqual({ value: { a: 'x' }, unknownFields: ['__proto__'] });
    const kept = prune(
      { ...OPEN, properties: { o: object({}) } },
      { ...(value as object), o: { z: 1 } },
    ).value;
    expect(Object.keys(kept as object)).toEqual(['a', '__proto__', 'o']);
  });

  it('is idempotent', () => {
    const schema = object({
      a: object({ b: OPEN, c: { type: 'array', items: object({ a: STRING }) } }),
      b: OPEN,
    });
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'kind');
    fc.assert(
      fc.property(fc.object({ key, maxDepth: 5 }), (value) => {
        const once = prune(schema, value);
        const twice = prune(schema, once.value);
        expect(twice.unknownFields).toEqual([]);
        expect(twice.value).toBe(once.value);
      }),
    );
  });
});
