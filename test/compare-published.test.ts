/** What the comparison with published documents finds, on a small document of our own. */
import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../src/kubernetes/schema/index.ts';
import { differences } from './support/compare-published.ts';

describe('compareToPublished', () => {
  const theirs = {
    name: 'Thing',
    definitions: {
      Thing: {
        type: 'object',
        description: 'A thing.',
        required: ['name'],
        properties: {
          name: { type: 'string', description: 'n', default: '' },
          mode: { type: 'string', description: 'm', default: 'Fast' },
          tags: { type: 'array', description: 't', items: { type: 'string', default: '' } },
          part: { description: 'p', default: {}, allOf: [{ $ref: '#/components/schemas/Part' }] },
        },
      },
      Part: { type: 'object', properties: { size: { type: 'integer', format: 'int32' } } },
    },
  };
  const name: StructuralSchema = { type: 'string', description: 'Its name.' };
  const mode: StructuralSchema = {
    type: 'string',
    description: 'Its mode.',
    default: 'Fast',
    enum: ['Fast', 'Slow'],
  };
  const tags: StructuralSchema = {
    type: 'array',
    description: 'Its tags.',
    items: { type: 'string', description: 'A tag.' },
  };
  const size: StructuralSchema = { type: 'integer', format: 'int32', description: 'Its size.' };
  const part: StructuralSchema = {
    type: 'object',
    description: 'Its part.',
    default: {},
    properties: { size },
  };
  const required = ['name'];
  const thing = (
    fields: { readonly [name: string]: StructuralSchema },
    names = required,
  ): StructuralSchema => ({
    type: 'object',
    description: 'Something.',
    required: names,
    properties: { name, mode, tags, part, ...fields },
  });
  const compared = (ours: StructuralSchema) =>
    differences(ours, theirs, (definition, field) =>
      definition === 'Thing' && field === 'mode' ? ['Fast', 'Slow'] : undefined,
    );

  it('finds no difference in equal schemas', () => {
    expect(compared(thing({}))).toEqual([]);
  });

  it.each<readonly [string, StructuralSchema, readonly string[]]>([
    ['an invented field', thing({ other: name }), ['Thing.other: unknown there']],
    ['a missing field', { ...thing({}), properties: { name, mode, tags } }, ['Thing.part: missing here']],
    ['a missing field below', thing({ part: { ...part, properties: {} } }), ['Part.size: missing here']],
    [
      'a wrong type',
      thing({ name: size }),
      ['Thing.name: format "int32" here, null there', 'Thing.name: type "integer" here, "string" there'],
    ],
    ['a field that is required there only', thing({}, []), ['Thing.name: required there only']],
    ['a field that is required here only', thing({}, ['mode', 'name']), ['Thing.mode: required here only']],
    [
      'a missing default',
      thing({ mode: { ...name, enum: ['Fast', 'Slow'] } }),
      ['Thing.mode: default null here, "Fast" there'],
    ],
    [
      'an invented default',
      thing({ tags: { ...tags, default: [] } }),
      ['Thing.tags: default [] here, null there'],
    ],
    [
      'a missing value',
      thing({ mode: { ...mode, enum: ['Fast'] } }),
      ['Thing.mode: enum ["Fast"] here, ["Fast","Slow"] there'],
    ],
    [
      'invented values',
      thing({ name: { ...name, enum: ['a'] } }),
      ['Thing.name: enum ["a"] here, null there'],
    ],
    [
      'an invented limit',
      thing({ name: { ...name, maxLength: 3 } }),
      ['Thing.name: maxLength 3 here, null there'],
    ],
    [
      'an invented list type',
      thing({ tags: { ...tags, 'x-kubernetes-list-type': 'set' } }),
      ['Thing.tags: x-kubernetes-list-type "set" here, null there'],
    ],
    [
      'null where there is none',
      thing({ name: { ...name, nullable: true } }),
      ['Thing.name: nullable true here, null there'],
    ],
    [
      'other items',
      thing({ tags: { ...tags, items: size } }),
      ['Thing.tags[]: format "int32" here, null there', 'Thing.tags[]: type "integer" here, "string" there'],
    ],
    ['a field without a description', thing({ name: { type: 'string' } }), ['Thing.name: not described']],
    [
      'a copied description',
      thing({ name: { ...name, description: 'n' } }),
      ['Thing.name: has the published description'],
    ],
  ])('finds %s', (_, ours, expected) => {
    expect(compared(ours)).toEqual(expected);
  });
});
