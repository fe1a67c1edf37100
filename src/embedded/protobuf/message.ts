/**
 * Messages of Kubernetes' protobuf.
 *
 * The message of a built-in type follows from its schema and the numbers of its fields (`field-numbers.ts`). Messages without
 * a schema are written out: `2 data {string}` is a field with its number, its name in JSON and its type. A type is a scalar
 * (`string`, `bytes`, `bool`, `int`, `long`, `double`), a message, or one of the forms of `json-forms.ts`, which differ from
 * JSON. `[x]` is a list, `{x}` a map from strings, and `?x` may be absent. All others have a value even where nothing was
 * sent. JSON omits scalars that are zero, empty lists and empty maps, unless the type ends in `!`.
 */
import { assert } from '../../base/errors.ts';

export type Message = {
  readonly name: string;
  /** In the order of JSON. */
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
};

export type Field = {
  readonly number: number;
  /** In JSON; empty for `inline`. */
  readonly name: string;
  /** Whether JSON shows it even if it is empty. */
  readonly isAlwaysShown: boolean;
} & FieldValue;

export type FieldValue =
  | { readonly shape: 'single' | 'optional' | 'list' | 'map'; readonly type: FieldType }
  /** A message whose fields are in JSON among those of the message around it. */
  | { readonly shape: 'inline'; readonly type: MessageType };

export type FieldType =
  | { readonly kind: 'scalar'; readonly of: Scalar }
  | { readonly kind: 'form'; readonly of: FormName }
  | MessageType;

/** Messages contain one another, so they are made when they are needed. */
type MessageType = { readonly kind: 'message'; readonly of: string; readonly message: () => Message };

export type Scalar = (typeof SCALARS)[number];
export type FormName = (typeof FORM_NAMES)[number];

const SCALARS = ['string', 'bytes', 'bool', 'int', 'long', 'double'] as const;
const FORM_NAMES = [
  'time',
  'microTime',
  'quantity',
  'intOrString',
  'json',
  'schemaOrBool',
  'schemaOrSchemas',
  'schemaOrTexts',
  'texts',
] as const;

export function messageWith(name: string, fields: readonly Field[]): Message {
  return { name, fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
}

/** A message that is written out. `others`: the messages that it refers to. */
export function parseMessage(
  name: string,
  text: string,
  others: { readonly [name: string]: () => Message } = {},
): Message {
  const fields = text.split(',').map((field) => parseField(field.trim(), others));
  return messageWith(name, fields);
}

const FIELD = /^(\d+) (\S+) ([?[{]?)(\w+)[\]}]?(!?)$/;
const SHAPES: { readonly [mark: string]: 'optional' | 'list' | 'map' } = {
  '?': 'optional',
  '[': 'list',
  '{': 'map',
};

function parseField(text: string, others: { readonly [name: string]: () => Message }): Field {
  const parts = FIELD.exec(text);
  assert(parts !== null, `${text} describes a field`);
  const [, number = '', name = '', mark = '', type = '', always = ''] = parts;
  return {
    number: Number(number),
    name,
    shape: SHAPES[mark] ?? 'single',
    type: typeNamed(type, others),
    isAlwaysShown: always !== '',
  };
}

function typeNamed(name: string, others: { readonly [name: string]: () => Message }): FieldType {
  const scalar = SCALARS.find((one) => one === name);
  if (scalar !== undefined) return { kind: 'scalar', of: scalar };
  const form = FORM_NAMES.find((one) => one === name);
  if (form !== undefined) return { kind: 'form', of: form };
  const message = others[name];
  assert(message !== undefined, `${name} is a type of a field`);
  return { kind: 'message', of: name, message };
}
