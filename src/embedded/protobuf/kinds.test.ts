import { describe, expect, it } from 'vitest';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { bodies, builtins } from '../../kubernetes/types/index.ts';
import { FIELD_NUMBERS } from './field-numbers.ts';
import { messageOfKind } from './kinds.ts';
import type { Field, Message } from './message.ts';

const kinds = [...builtins, ...bodies].map((one) => ({
  apiVersion: apiVersionOf(one),
  kind: one.kind,
  schema: one.schema,
}));

/** The fields that JSON shows, those of inline messages included. */
function shownFields({ fields }: Message): readonly Field[] {
  return fields.flatMap((field) => (field.shape === 'inline' ? shownFields(field.type.message()) : [field]));
}

/** The fields that the schema has and the message has not. */
function missing(schema: StructuralSchema, message: Message, path: string): readonly string[] {
  const fields = new Map(shownFields(message).map((field) => [field.name, field]));
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = fields.get(name);
    // The envelope has the type of an object, and fields with objects have a known type.
    if (field === undefined && (name === 'apiVersion' || name === 'kind')) return [];
    if (field === undefined) return [`${path}.${name}`];
    const inner = field.shape === 'list' ? property.items : property;
    if (inner === undefined || field.type.kind !== 'message' || field.shape === 'map') return [];
    return missing(inner, field.type.message(), `${path}.${name}`);
  });
}

describe('messageOfKind', () => {
  it.each(kinds)('gives $apiVersion $kind a message with all its fields', ({ apiVersion, kind, schema }) => {
    const message = messageOfKind(apiVersion, kind);
    expect(message && missing(schema, message, '')).toEqual([]);
  });

  it('gives every field a number of its own', () => {
    for (const [name, { fields, byNumber }] of reachableMessages()) {
      expect(byNumber.size, name).toBe(fields.length);
    }
  });

  it('knows the lists of kinds', () => {
    expect(messageOfKind('apps/v1', 'DeploymentList')?.fields.map(({ type }) => type.of)).toEqual([
      'ListMeta',
      'Deployment',
    ]);
    expect(messageOfKind('apps/v1', 'NonsenseList')).toBeUndefined();
  });
});

describe('the field numbers', () => {
  it('are those of types that kinds contain', () => {
    const reachable = new Set(reachableMessages().keys());
    const names = Object.keys(FIELD_NUMBERS).map((goType) => goType.replace(/^\w+\./, ''));
    expect(names.filter((name) => !reachable.has(name))).toEqual([]);
  });
});

/** Every message that an object can contain, by its name. */
function reachableMessages(): ReadonlyMap<string, Message> {
  const found = new Map<string, Message>();
  const visit = (message: Message): void => {
    if (found.get(message.name) === message) return;
    found.set(message.name, message);
    for (const { type } of message.fields) if (type.kind === 'message') visit(type.message());
  };
  const others = [
    { apiVersion: 'v1', kind: 'Status' },
    { apiVersion: 'v1', kind: 'DeleteOptions' },
  ];
  for (const { apiVersion, kind } of [...kinds, ...others]) {
    const message = messageOfKind(apiVersion, kind);
    if (message !== undefined) visit(message);
  }
  return found;
}
