import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../schema/index.ts';
import { findField } from './field-path.ts';

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    size: { type: 'integer' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    open: { type: 'object', additionalProperties: true },
    list: { type: 'array', items: { type: 'string' } },
    inner: { type: 'object', properties: { name: { type: 'string' }, "it's": { type: 'boolean' } } },
  },
};

describe('findField', () => {
  it.each([
    ['size', 'expected [ or . but got: size'],
    ['.', 'unexpected end of JSON path'],
    ['.none', 'does not refer to a valid field'],
    ['.size.none', 'does not refer to a valid field'],
    ['.list[0]', 'expected single quoted string but got 0'],
    ['..size', 'does not refer to a valid field'],
    ["['inner'", 'unexpected end of JSON path'],
    ["['none'", 'does not refer to a valid field'],
    ["['inner'.", 'expected ] but got .'],
    ['[', 'unexpected end of JSON path'],
    ['.constructor', 'does not refer to a valid field'],
    ['.size]', 'expected [ or . but got: ]'],
  ])('refuses %s', (path, error) => {
    expect(findField(schema, path)).toEqual({ kind: 'bad', error });
  });

  it.each([
    ['.size', 'size', 'integer'],
    ['.inner.name', 'inner.name', 'string'],
    ["['inner']['name']", 'inner.name', 'string'],
    [".inner['it\\'s']", "inner.it's", 'boolean'],
    [".labels['a.b/c']", 'labels[a.b/c]', 'string'],
    ['.labels.a', 'labels[a]', 'string'],
    ['.list', 'list', 'array'],
  ])('finds %s', (path, found, type) => {
    expect(findField(schema, path)).toMatchObject({ kind: 'found', path: found, schema: { type } });
  });

  it('refuses brackets if only dots are allowed', () => {
    const plain = { allowsBrackets: false };
    expect(findField(schema, "['inner']", plain)).toEqual({
      kind: 'bad',
      error: 'array notation is not allowed',
    });
    expect(findField(schema, '.inner.name', plain)).toMatchObject({ steps: ['inner', 'name'] });
  });

  it('finds fields of open objects, but nothing below them', () => {
    expect(findField(schema, '.open.a')).toMatchObject({ kind: 'found', path: 'open[a]' });
    expect(findField(schema, '.open.a.b')).toMatchObject({ kind: 'bad' });
  });
});
