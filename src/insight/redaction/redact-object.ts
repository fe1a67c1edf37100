/**
 * An object of a cluster without its secrets, for a dump that people send around.
 *
 *     Secret                        its data and stringData: keys stay
 *     ConfigMap                     its data, unless it is one that Millwright reads
 *     MachineConfig                 secret files, key files, password hashes, headers (`redact-ignition.ts`)
 *     pods, and templates of pods   values of environment variables
 *     any object                    the last applied manifest, as an object of its own; fields that are called a password, a token,
 *                                   a secret …; HTTP headers; and credentials inside of any text, also of JSON in it (`credentials.ts`)
 *
 * Never throws: a dump is made of what is there.
 */
import { isObject, type Json, type JsonObject, jsonEqual, parseJson } from '../../base/json.ts';
import { objectAt, objectsAt, optionalStringAt, stringAt } from '../../base/json-fields.ts';
import { withoutCredentials } from './credentials.ts';
import { redactIgnition } from './redact-ignition.ts';
import type { Redaction } from './redaction.ts';

type RedactionOptions = Redaction & {
  /** ConfigMaps whose data is kept, by name. */
  readonly readableConfigMaps: readonly string[];
};

export function redactObject(object: JsonObject, options: RedactionOptions): JsonObject {
  const special = redactByKind(withoutManagedFields(object), options);
  return redactFields(withoutLastApplied(special, options), options);
}

function redactByKind(object: JsonObject, options: RedactionOptions): JsonObject {
  switch (stringAt(object, 'kind')) {
    case 'Secret':
      return redactData(object, ['data', 'stringData'], options);
    case 'ConfigMap': {
      const isReadable = options.readableConfigMaps.includes(stringAt(object, 'metadata', 'name'));
      return isReadable ? object : redactData(object, ['data', 'binaryData'], options);
    }
    case 'MachineConfig': {
      const [spec, config] = [objectAt(object, 'spec'), objectAt(object, 'spec', 'config')];
      if (spec === undefined || config === undefined) return object;
      return { ...object, spec: { ...spec, config: redactIgnition(config, options) } };
    }
    default:
      return object;
  }
}

function redactData(object: JsonObject, fields: readonly string[], { mark }: Redaction): JsonObject {
  const redacted = fields.flatMap((field) => {
    const data = objectAt(object, field);
    if (data === undefined) return [];
    const values = Object.entries(data).map(([key, value]) => [key, mark(String(value))]);
    return [[field, Object.fromEntries(values)]];
  });
  return { ...object, ...Object.fromEntries(redacted) };
}

/** Only what tells who cordoned or paused, and when a node was told something: they quote items of lists. */
function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = objectAt(object, 'metadata');
  if (metadata === undefined || !('managedFields' in metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  const isKept = ['Node', 'MachineConfigPool'].includes(stringAt(object, 'kind'));
  const kept = isKept ? objectsAt(metadata, 'managedFields').map(keptEntry) : [];
  return { ...object, metadata: { ...rest, ...(kept.length > 0 && { managedFields: kept }) } };
}

function keptEntry(entry: JsonObject): JsonObject {
  const annotations = objectAt(entry, 'fieldsV1', 'f:metadata', 'f:annotations') ?? {};
  const spec = objectAt(entry, 'fieldsV1', 'f:spec') ?? {};
  const fields = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, {}]));
  const ofSpec = Object.keys(spec).filter((name) => /^f:(unschedulable|paused|maxUnavailable)$/.test(name));
  return {
    manager: stringAt(entry, 'manager'),
    operation: stringAt(entry, 'operation'),
    ...(optionalStringAt(entry, 'time') !== undefined && { time: stringAt(entry, 'time') }),
    fieldsV1: {
      ...(Object.keys(annotations).length > 0 && {
        'f:metadata': { 'f:annotations': fields(Object.keys(annotations)) },
      }),
      ...(ofSpec.length > 0 && { 'f:spec': fields(ofSpec) }),
    },
  };
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** It holds the object as it was applied, with everything in it. */
function withoutLastApplied(object: JsonObject, options: RedactionOptions): JsonObject {
  const metadata = objectAt(object, 'metadata');
  const text = optionalStringAt(metadata, 'annotations', LAST_APPLIED);
  if (metadata === undefined || text === undefined) return object;
  const applied = parseJson(text);
  const value = isObject(applied)
    ? JSON.stringify(redactObject(applied as JsonObject, options))
    : options.mark(text);
  const annotations = { ...objectAt(metadata, 'annotations'), [LAST_APPLIED]: value };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** Names of fields that hold a credential. Others of the like hold names of Secrets, paths or numbers. */
const SECRET_FIELD =
  /passw(or)?d|passphrase|token$|secret$|credential|private.?key|^authorization$|api.?key|access.?key|bearer/i;
const NAME_OF_SECRET = /name$|ref$|path$|type$|audience$|seconds$|^(automount|allow|enable|use)/i;

/** The whole tree. */
function redactFields(value: JsonObject, options: RedactionOptions): JsonObject {
  const isVariable = 'name' in value && 'value' in value && Object.keys(value).length === 2;
  const fields = Object.entries(value).map(([key, item]): [string, Json] => {
    if (key === LAST_APPLIED) return [key, item];
    return [key, redactValue(item, { key, isVariable, options })];
  });
  return Object.fromEntries(fields);
}

type FieldContext = {
  readonly key: string;
  /** Of an entry with a name and a value, as environment variables are. */
  readonly isVariable: boolean;
  readonly options: RedactionOptions;
};

/** Of HTTP requests: any of them may be a credential. */
const HEADERS = /headers?$/i;

function redactValue(item: Json, context: FieldContext): Json {
  if (HEADERS.test(context.key) && typeof item === 'object') return redactLeaves(item, context.options);
  if (Array.isArray(item)) return redactList(item, context);
  if (isObject(item)) return redactFields(item as JsonObject, context.options);
  return typeof item === 'string' ? redactText(item, context) : item;
}

/** Every text but names. */
function redactLeaves(item: Json, options: RedactionOptions): Json {
  if (typeof item === 'string') return item === '' || isMark(item) ? item : options.mark(item);
  if (Array.isArray(item)) return item.map((one: Json) => redactLeaves(one, options));
  if (!isObject(item)) return item;
  const fields = Object.entries(item as JsonObject).map(([key, value]): [string, Json] => [
    key,
    key === 'name' ? value : redactLeaves(value, options),
  ]);
  return Object.fromEntries(fields);
}

const SECRET_FLAG = /^--?[\w-]*(passw(or)?d|passphrase|token|secret|credential|key)s?$/i;

/** Of arguments, the one after `--token` is the token. */
function redactList(items: readonly Json[], context: FieldContext): readonly Json[] {
  return items.map((item, index) => {
    const before = items[index - 1];
    const isGuarded = typeof before === 'string' && SECRET_FLAG.test(before);
    if (isGuarded && typeof item === 'string' && !item.startsWith('-')) return context.options.mark(item);
    return redactValue(item, context);
  });
}

function redactText(text: string, { key, isVariable, options }: FieldContext): string {
  if (text === '' || isMark(text)) return text;
  if (isVariable && key === 'value') return options.mark(text);
  if (SECRET_FIELD.test(key) && !NAME_OF_SECRET.test(key)) return options.mark(text);
  return redactEmbedded(text, { key, isVariable: false, options }) ?? withoutCredentials(text);
}

/** A text that is JSON, as annotations have it: undefined where it is none, or has no secret in it. */
function redactEmbedded(text: string, context: FieldContext): string | undefined {
  const value = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (value === undefined) return undefined;
  const redacted = redactValue(value, context);
  return jsonEqual(redacted, value) ? undefined : JSON.stringify(redacted);
}

/** Of what was replaced already. */
function isMark(text: string): boolean {
  return /^\[redacted [0-9a-f]{12}\]$/.test(text);
}
