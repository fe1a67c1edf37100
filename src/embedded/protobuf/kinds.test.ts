import { describe, expect, it } from 'vitest';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { bodies, builtins } from '../../kubernetes/types/index.ts';
import { messageOfKind } from './kinds.ts';
import { type Field, type Message, messageNamed, messageNames } from './message.ts';

const kinds = [...builtins, ...bodies].map((one) => ({
  apiVersion: apiVersionOf(one),
  kind: one.kind,
  schema: one.schema,
}));

/** The fields as JSON has them: what stands inline is among them. */
function shownFields({ fields }: Message): readonly Field[] {
  return fields.flatMap((field) =>
    field.shape === 'inline' ? shownFields(messageNamed(field.type.of)) : [field],
  );
}

/** What the schema has and the message has not. */
function missing(schema: StructuralSchema, message: Message, path: string): readonly string[] {
  const fields = new Map(shownFields(message).map((field) => [field.name, field]));
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = fields.get(name);
    // The envelope says what an object is; what is within it is of a kind that is known.
    if (field === undefined && (name === 'apiVersion' || name === 'kind')) return [];
    if (field === undefined) return [`${path}.${name}`];
    const inner = field.shape === 'list' ? property.items : property;
    if (inner === undefined || field.type.kind !== 'message' || field.shape === 'map') return [];
    return missing(inner, messageNamed(field.type.of), `${path}.${name}`);
  });
}

describe('a kind of ours', () => {
  it.each(kinds)('$apiVersion $kind has a message with all its fields', ({ apiVersion, kind, schema }) => {
    const message = messageOfKind(apiVersion, kind);
    expect(message && missing(schema, message, '')).toEqual([]);
  });

  it('has a message for its lists', () => {
    expect(messageOfKind('apps/v1', 'DeploymentList')?.fields.map(({ type }) => type.of)).toEqual([
      'ListMeta',
      'Deployment',
    ]);
    expect(messageOfKind('apps/v1', 'NonsenseList')).toBeUndefined();
  });
});

describe('the tables', () => {
  it.each(messageNames)('know every message that %s refers to, and no number twice', (name) => {
    const { fields, byNumber } = messageNamed(name);
    expect(byNumber.size).toBe(fields.length);
    for (const { type } of fields) if (type.kind === 'message') messageNamed(type.of);
  });
});
