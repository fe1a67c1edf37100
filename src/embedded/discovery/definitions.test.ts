import { describe, expect, it } from 'vitest';
import { isObject } from '../../base/json.ts';
import {
  anyObject,
  list,
  mapOf,
  named,
  object,
  required,
  type StructuralSchema,
  string,
  struct,
} from '../../kubernetes/schema/index.ts';
import { bodies, builtins } from '../../kubernetes/types/index.ts';
import { definitionsOf } from './definitions.ts';
import { bodyDefinitions } from './kind-definitions.ts';
import { referredNames } from './openapi-schema.ts';

describe('a built-in kind', () => {
  it.each([...builtins, ...bodies])('has no dangling references: $group $kind', (kind) => {
    const definitions = bodyDefinitions(kind);
    for (const [name, definition] of definitions) {
      for (const referred of referredNames(definition))
        expect([name, definitions.has(referred)]).toEqual([name, true]);
    }
  });

  it.each([...builtins, ...bodies])(
    'keeps all descriptions of fields: $group $kind',
    ({ schema, ...kind }) => {
      const written = JSON.stringify([...bodyDefinitions({ ...kind, schema }).values()]);
      const check = (part: StructuralSchema): void => {
        if (part.description !== undefined) expect(written).toContain(JSON.stringify(part.description));
        for (const field of Object.values(part.properties ?? {})) check(field);
        if (part.items !== undefined) check(part.items);
        if (isObject(part.additionalProperties)) check(part.additionalProperties);
      };
      check(schema);
    },
  );
});

describe('definitionsOf', () => {
  const selector = struct(
    'meta.LabelSelector',
    'Which pods.',
    { matchLabels: mapOf('Labels.', string('A value.')) },
    { atomic: true },
  );
  const defined = (schema: StructuralSchema) =>
    definitionsOf(named('policy.PodDisruptionBudgetSpec', schema));
  const fieldOf = (schema: StructuralSchema, field: string) => {
    const { properties } = defined(schema).get('io.k8s.api.policy.v1.PodDisruptionBudgetSpec') ?? {};
    return isObject(properties) ? properties[field] : undefined;
  };

  it('refers to a value with a Go type, and describes the field', () => {
    expect(fieldOf(object('', { selector }), 'selector')).toEqual({
      description: 'Which pods.',
      allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector' }],
    });
    const definition = defined(object('', { selector })).get(
      'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
    );
    expect(definition).toEqual({
      type: 'object',
      properties: {
        matchLabels: {
          type: 'object',
          description: 'Labels.',
          additionalProperties: { type: 'string', description: 'A value.', default: '' },
        },
      },
      'x-kubernetes-map-type': 'atomic',
    });
  });

  it('keeps a value without a Go type inline', () => {
    const inside = object('No name.', { b: string('Second.'), a: required(string('First.')) });
    expect(fieldOf(object('', { unknown: inside }), 'unknown')).toEqual({
      type: 'object',
      description: 'No name.',
      properties: {
        a: { type: 'string', description: 'First.', default: '' },
        b: { type: 'string', description: 'Second.' },
      },
      required: ['a'],
    });
  });

  it('keeps patch strategies on the field, and list types', () => {
    const merged = { 'x-kubernetes-patch-strategy': 'retainKeys' };
    expect(fieldOf(object('', { selector: { ...selector, ...merged } }), 'selector')).toMatchObject(merged);
    const keyed = list('Items.', object('An item.', { k: required(string('Key.')) }), {
      list: { map: ['k'] },
    });
    expect(fieldOf(object('', { keyed }), 'keyed')).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { default: {}, description: 'An item.' },
    });
  });

  it('accepts fields of any name', () => {
    const odd: StructuralSchema = {
      type: 'object',
      properties: JSON.parse('{"__proto__": {"type": "string"}}'),
    };
    const { properties } = defined(odd).get('io.k8s.api.policy.v1.PodDisruptionBudgetSpec') ?? {};
    expect(JSON.stringify(properties)).toBe('{"__proto__":{"type":"string"}}');
  });

  it('omits the keywords that kube-apiserver does not publish', () => {
    const open = { ...anyObject('Anything.'), title: 'Anything', nullable: true };
    expect(fieldOf(object('', { open }), 'open')).toEqual({ type: 'object', description: 'Anything.' });
  });
});
