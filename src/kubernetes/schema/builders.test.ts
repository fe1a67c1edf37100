import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  anyObject,
  boolean,
  bytes,
  dateTime,
  described,
  type Infer,
  int32,
  intOrString,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  openObject,
  required,
  string,
  withRules,
} from './builders.ts';

describe('a schema', () => {
  it('is the structural schema of a CRD, as plain data', () => {
    const schema = object(
      'A pool.',
      {
        name: required(string('Its name.', { minLength: 1, maxLength: 253, pattern: '^x' })),
        mode: oneOf('How.', ['Fast', 'Slow'], { default: 'Slow' }),
        count: int32('How many.', { minimum: 0 }),
        items: list('Things.', string('A thing.'), { maxItems: 3, list: 'set' }),
        nodes: list('Nodes.', object('A node.', { name: required(string('Its name.')) }), {
          list: { map: ['name'] },
        }),
        size: intOrString('How large.', { pattern: '^[0-9]+%?$' }),
        since: dateTime('Since when.', { nullable: true }),
        key: bytes('A key.', { maxLength: 9 }),
      },
      { minProperties: 1, atomic: true, rules: [{ rule: 'true', message: 'never' }] },
    );
    expect(JSON.parse(JSON.stringify(schema))).toEqual({
      type: 'object',
      description: 'A pool.',
      required: ['name'],
      minProperties: 1,
      'x-kubernetes-map-type': 'atomic',
      'x-kubernetes-validations': [{ rule: 'true', message: 'never' }],
      properties: {
        name: { type: 'string', description: 'Its name.', minLength: 1, maxLength: 253, pattern: '^x' },
        mode: { type: 'string', description: 'How.', enum: ['Fast', 'Slow'], default: 'Slow' },
        count: { type: 'integer', format: 'int32', description: 'How many.', minimum: 0 },
        items: {
          type: 'array',
          description: 'Things.',
          items: { type: 'string', description: 'A thing.' },
          maxItems: 3,
          'x-kubernetes-list-type': 'set',
        },
        nodes: {
          type: 'array',
          description: 'Nodes.',
          items: {
            type: 'object',
            description: 'A node.',
            required: ['name'],
            properties: { name: { type: 'string', description: 'Its name.' } },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        size: {
          'x-kubernetes-int-or-string': true,
          anyOf: [{ type: 'integer' }, { type: 'string' }],
          description: 'How large.',
          pattern: '^[0-9]+%?$',
        },
        since: { type: 'string', format: 'date-time', description: 'Since when.', nullable: true },
        key: { type: 'string', format: 'byte', description: 'A key.', maxLength: 9 },
      },
    });
  });

  it('has no keys for options that were not given', () => {
    expect(Object.keys(string('x', {}))).toEqual(['type', 'description']);
    expect(Object.keys(object('x', {}))).toEqual(['type', 'description']);
  });

  it('can be reused with another description, additional rules, or null', () => {
    const name = string('A name.', { rules: [{ rule: 'a' }] });
    expect(described('Another.', name)).toMatchObject({ description: 'Another.', type: 'string' });
    expect(withRules(name, [{ rule: 'b' }])['x-kubernetes-validations']).toEqual([
      { rule: 'a' },
      { rule: 'b' },
    ]);
    expect(nullable(name)).toMatchObject({ nullable: true });
    expect(name).not.toHaveProperty('nullable');
  });

  it('preserves unknown fields of open objects', () => {
    expect(anyObject('x')).toMatchObject({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
    expect(openObject('x', { a: string('a') })).toMatchObject({
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: { type: 'string' } },
    });
    expect(mapOf('x', string('y'))).toMatchObject({ additionalProperties: { type: 'string' } });
  });
});

describe('the inferred type', () => {
  it('follows from the schema', () => {
    const schema = object('x', {
      name: required(string('x')),
      mode: oneOf('x', ['Fast', 'Slow']),
      isOn: boolean('x'),
      when: nullable(dateTime('x')),
      size: intOrString('x'),
      labels: mapOf('x', string('x')),
      items: list('x', object('x', { id: required(int32('x')) })),
    });
    expectTypeOf<Infer<typeof schema>>().toEqualTypeOf<{
      readonly name: string;
      readonly mode?: 'Fast' | 'Slow';
      readonly isOn?: boolean;
      readonly when?: string | null;
      readonly size?: number | string;
      readonly labels?: { readonly [key: string]: string };
      readonly items?: readonly { readonly id: number }[];
    }>();
  });
});
