/**
 * Messages, as the tables describe them.
 */
import { assert } from '../../base/errors.ts';
import type { FieldTable } from './field-table.ts';
import { ACCESS_FIELDS } from './fields-access.ts';
import { CORE_FIELDS } from './fields-core.ts';
import { EXTENSION_FIELDS } from './fields-extensions.ts';
import { META_FIELDS } from './fields-meta.ts';
import { POD_FIELDS } from './fields-pods.ts';
import { VOLUME_FIELDS } from './fields-volumes.ts';
import { WORKLOAD_FIELDS } from './fields-workloads.ts';

export type Message = {
  readonly name: string;
  /** In the order of JSON. */
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
};

export type Field = {
  readonly number: number;
  /** In JSON; empty for what stands `inline`. */
  readonly name: string;
  readonly shape: 'single' | 'optional' | 'list' | 'map' | 'inline';
  readonly type: FieldType;
  /** Whether JSON shows it even if it is empty. */
  readonly isAlwaysShown: boolean;
};

export type FieldType =
  | { readonly kind: 'scalar'; readonly of: Scalar }
  /** What a form is, is known to `forms.ts`. */
  | { readonly kind: 'form'; readonly of: FormName }
  | { readonly kind: 'message'; readonly of: string };

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

const TABLE: FieldTable = {
  ...META_FIELDS,
  ...CORE_FIELDS,
  ...POD_FIELDS,
  ...VOLUME_FIELDS,
  ...WORKLOAD_FIELDS,
  ...ACCESS_FIELDS,
  ...EXTENSION_FIELDS,
};

/** Every message that the tables know. */
export const messageNames: readonly string[] = Object.keys(TABLE);

const messages = new Map<string, Message>();

/** A message of the tables, read from there when it is first asked for. */
export function messageNamed(name: string): Message {
  const known = messages.get(name);
  if (known !== undefined) return known;
  const text = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
  assert(text !== undefined, `there is a message ${name}`);
  const message = parseMessage(name, text);
  messages.set(name, message);
  return message;
}

export function parseMessage(name: string, text: string): Message {
  const fields = text
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
    .map(parseField);
  return { name, fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
}

const INLINE = /^(\d+) \.\.\.([\w.]+)$/;
const FIELD = /^(\d+) (\S+) ([?[{]?)([\w.]+)[\]}]?(!?)$/;
const SHAPES: { readonly [mark: string]: Field['shape'] } = {
  '?': 'optional',
  '[': 'list',
  '{': 'map',
};

function parseField(text: string): Field {
  const inline = INLINE.exec(text);
  if (inline !== null) {
    const type: FieldType = { kind: 'message', of: inline[2] ?? '' };
    return { number: Number(inline[1]), name: '', shape: 'inline', type, isAlwaysShown: true };
  }
  const parts = FIELD.exec(text);
  assert(parts !== null, `${text} describes a field`);
  const [, number = '', name = '', mark = '', type = '', always = ''] = parts;
  return {
    number: Number(number),
    name,
    shape: SHAPES[mark] ?? 'single',
    type: typeNamed(type),
    isAlwaysShown: always !== '',
  };
}

function typeNamed(name: string): FieldType {
  const scalar = SCALARS.find((one) => one === name);
  if (scalar !== undefined) return { kind: 'scalar', of: scalar };
  const form = FORM_NAMES.find((one) => one === name);
  return form === undefined ? { kind: 'message', of: name } : { kind: 'form', of: form };
}
