/**
 * The strategy of Secrets: `stringData` is merged into `data`, and each known type requires its keys.
 */

import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { optionalStringMapAt, stringAt, stringMapAt } from '../../base/json-fields.ts';
import { base64Bytes, base64Text } from '../../base/text/index.ts';
import { secret } from '../../kubernetes/types/index.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { base64Length } from './decoding/base64-text.ts';
import { invalidText, required, tooLong } from './field-problems.ts';
import { immutableDataProblems } from './immutable-data.ts';
import { configKeyProblems } from './name-problems.ts';
import { withDefaults, without } from './object-edits.ts';

const MAX_BYTES = 2 ** 20;
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';

export const secretStrategy = builtinStrategy({
  of: secret,
  beforeSchemaDefaults: withStringData,
  afterSchemaDefaults: (object) => withDefaults(object, { type: 'Opaque' }),
  validateCreate: contentProblems,
  validateUpdate: (object, old) => [
    ...(stringAt(object, 'type') === stringAt(old, 'type')
      ? []
      : [invalidText('type', stringAt(object, 'type'), 'field is immutable')]),
    ...immutableDataProblems(object, old, ['data']),
    ...contentProblems(object),
  ],
});

const utf8 = new TextEncoder();

/** `stringData` takes precedence over `data`. */
function withStringData(object: JsonObject): JsonObject {
  const texts = optionalStringMapAt(object, 'stringData');
  const rest = without(object, 'stringData');
  if (texts === undefined || Object.keys(texts).length === 0) return rest;
  const folded = Object.entries(texts).map(([key, text]) => [key, base64Text(utf8.encode(text))]);
  return { ...rest, data: { ...optionalStringMapAt(object, 'data'), ...Object.fromEntries(folded) } };
}

function contentProblems(object: JsonObject): readonly Problem[] {
  const data = stringMapAt(object, 'data');
  const size = Object.values(data).reduce((sum, text) => sum + base64Length(text), 0);
  return [
    ...Object.keys(data).flatMap((key) => configKeyProblems(() => `data[${key}]`, key)),
    ...(size > MAX_BYTES ? [tooLong('data', MAX_BYTES)] : []),
    ...typeProblems(object, data),
  ];
}

type Data = { readonly [key: string]: string };

function typeProblems(object: JsonObject, data: Data): readonly Problem[] {
  switch (stringAt(object, 'type')) {
    case 'kubernetes.io/service-account-token': {
      const path = `metadata.annotations[${ACCOUNT_ANNOTATION}]`;
      const account = stringAt(object, 'metadata', 'annotations', ACCOUNT_ANNOTATION);
      return account === '' ? [required(path)] : [];
    }
    case 'kubernetes.io/dockercfg':
      return jsonProblems(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return jsonProblems(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth': {
      const keys = ['username', 'password'];
      return keys.some((key) => Object.hasOwn(data, key)) ? [] : missingKeys(data, keys);
    }
    case 'kubernetes.io/ssh-auth':
      return stringAt(data, 'ssh-privatekey') === '' ? [required('data[ssh-privatekey]')] : [];
    case 'kubernetes.io/tls':
      return missingKeys(data, ['tls.crt', 'tls.key']);
    default:
      return [];
  }
}

function missingKeys(data: Data, keys: readonly string[]): readonly Problem[] {
  return keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`));
}

/** The key must exist and hold a JSON object. The content is never part of the message. */
function jsonProblems(data: Data, key: string): readonly Problem[] {
  const path = `data[${key}]`;
  const encoded = Object.hasOwn(data, key) ? data[key] : undefined;
  if (encoded === undefined) return [required(path)];
  const why = jsonObjectFailure(new TextDecoder().decode(base64Bytes(encoded) ?? new Uint8Array()));
  return why === undefined ? [] : [invalidText(path, '<secret contents redacted>', why)];
}

/** The message of Go's JSON decoder, as far as the first character determines it. */
function jsonObjectFailure(text: string): string | undefined {
  const first = text.trimStart().charAt(0);
  if (first !== '' && !/[[{"\-0-9tfn]/.test(first)) {
    return `invalid character '${first}' looking for beginning of value`;
  }
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
  } catch {
    return 'unexpected end of JSON input';
  }
}
