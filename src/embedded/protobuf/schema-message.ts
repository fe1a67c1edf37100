/**
 * The message of a built-in type, made from its schema and the numbers of its fields.
 */
import { assert } from '../../base/errors.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { FIELD_NUMBERS } from './field-numbers.ts';
import { jsonSchemaProps } from './json-schema-message.ts';
import { type Field, type FieldType, type FieldValue, type Message, messageWith } from './message.ts';

/** By Go type: schemas of one Go type differ in their descriptions only. */
const messages = new Map<string, Message>();

export function messageOfSchema(schema: StructuralSchema): Message {
  const goType = schema['x-go-type'];
  assert(goType !== undefined, 'a message has a Go type');
  return messageOfType(goType, schema);
}

/** `goType` may be a part of the struct that the schema describes. */
function messageOfType(goType: string, schema: StructuralSchema): Message {
  const known = messages.get(goType);
  if (known !== undefined) return known;
  const fields = numbersOf(goType, schema).map((one) => fieldOf(one, goType, schema));
  const message = messageWith(nameOf(goType), fields);
  messages.set(goType, message);
  return message;
}

type NumberedField = { readonly number: number; readonly name: string; readonly isAlwaysShown: boolean };

const NUMBERED_FIELD = /^(?:(\d+):)?(.+?)(!?)$/;

function numbersOf(goType: string, { properties = {} }: StructuralSchema): readonly NumberedField[] {
  const row = FIELD_NUMBERS[goType] ?? KIND_FIELDS.filter((name) => name in properties).join(' ');
  let last = 0;
  return (row.match(/\S+/g) ?? []).map((text) => {
    const [, number, name = '', always] = NUMBERED_FIELD.exec(text) ?? [];
    last = number === undefined ? last + 1 : Number(number);
    return { number: last, name, isAlwaysShown: always === '!' };
  });
}

const KIND_FIELDS = ['metadata', 'items', 'spec', 'status'];

const INLINE = '...';

function fieldOf(field: NumberedField, goType: string, parent: StructuralSchema): Field {
  const { number, name } = field;
  if (name.startsWith(INLINE)) {
    const part = name.slice(INLINE.length);
    const partType = `${goType.slice(0, goType.indexOf('.'))}.${part}`;
    const message = () => messageOfType(partType, parent);
    const type = { kind: 'message', of: part, message } as const;
    return { number, name: '', shape: 'inline', type, isAlwaysShown: true };
  }
  const schema = parent.properties?.[name];
  assert(schema !== undefined, `${goType} has a field ${name}`);
  const isRequired = parent.required?.includes(name) ?? false;
  const isNullable = schema.nullable === true && schema.format !== 'date-time';
  return {
    number,
    name,
    ...shapeAndType(schema, isRequired),
    isAlwaysShown: field.isAlwaysShown || isRequired || isNullable,
  };
}

function shapeAndType(schema: StructuralSchema, isRequired: boolean): FieldValue {
  const { items, additionalProperties } = schema;
  if (items !== undefined) return { shape: 'list', type: typeOf(items) };
  if (typeof additionalProperties === 'object') return { shape: 'map', type: typeOf(additionalProperties) };
  return { shape: isPointer(schema, isRequired) ? 'optional' : 'single', type: typeOf(schema) };
}

/** Objects are pointers unless the server fills them in, times unless they are null until they are known. */
function isPointer(schema: StructuralSchema, isRequired: boolean): boolean {
  const { 'x-go-pointer': isMarked } = schema;
  if (schema.format === 'date-time') return schema.nullable !== true && !isRequired;
  return isMarked ?? (schema.type === 'object' && schema.default === undefined);
}

function typeOf(schema: StructuralSchema): FieldType {
  const { 'x-go-type': goType } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) return { kind: 'form', of: 'intOrString' };
  switch (schema.type) {
    case 'boolean':
      return { kind: 'scalar', of: 'bool' };
    case 'integer':
      return { kind: 'scalar', of: schema.format === 'int32' ? 'int' : 'long' };
    case 'number':
      return { kind: 'scalar', of: 'double' };
    case 'string':
      if (schema.format === 'byte') return { kind: 'scalar', of: 'bytes' };
      if (schema.format !== 'date-time') return { kind: 'scalar', of: 'string' };
      return { kind: 'form', of: goType === 'meta.MicroTime' ? 'microTime' : 'time' };
    case 'array':
      return { kind: 'form', of: 'texts' };
    case 'object':
      return objectType(schema);
    default:
      return { kind: 'form', of: 'quantity' };
  }
}

function objectType(schema: StructuralSchema): FieldType {
  const goType = schema['x-go-type'];
  assert(goType !== undefined, 'an object has a Go type');
  if (goType === 'apiextensions.JSONSchemaProps') {
    return { kind: 'message', of: nameOf(goType), message: jsonSchemaProps };
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return { kind: 'form', of: 'json' };
  return { kind: 'message', of: nameOf(goType), message: () => messageOfSchema(schema) };
}

/** Without the package. */
function nameOf(goType: string): string {
  return goType.slice(goType.lastIndexOf('.') + 1);
}
