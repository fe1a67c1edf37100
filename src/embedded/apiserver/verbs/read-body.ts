/** Parses the body of a request: JSON, YAML or protobuf. */

import { isJsonObject, type Json, type JsonObject, MAX_JSON_DEPTH } from '../../../base/json.ts';
import { countKeys, duplicateKeys, holdsMoreThan, quoted, readJson } from '../../../base/text/index.ts';
import { parseYaml } from '../../../base/yaml/index.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { decodeProtobuf } from '../../protobuf/index.ts';
import { badRequest, invalid, type StatusError, statusError } from '../../status/index.ts';
import type { Request } from '../http/http.ts';
import { type Expected, givenKind, kindFit, otherVersionText, textOf, versionOf } from './body-kind.ts';

type MediaType = 'json' | 'yaml' | 'protobuf';

/** The body before decoding. */
export type Sent = {
  readonly value: JsonObject;
  /** Duplicate keys of the text; the last one wins. */
  readonly duplicates: readonly string[];
  /** Prefix of messages about duplicates that come from a patch. */
  readonly ofPatch?: string;
  /** The same for YAML, which has other messages. */
  readonly repeated?: readonly string[];
  /** The text if it was JSON: problems follow its order. */
  readonly text?: Uint8Array;
};

/** JSON if undefined: the default of clients. */
export function mediaTypeOf(contentType: string | undefined): MediaType | undefined {
  const [type = ''] = (contentType ?? '').split(';');
  switch (type.trim().toLowerCase()) {
    case '':
    case 'application/json':
      return 'json';
    case 'application/yaml':
      return 'yaml';
    case 'application/vnd.kubernetes.protobuf':
      return 'protobuf';
    default:
      return undefined;
  }
}

/** The object must have the kind that the path expects. */
export function readBody(
  request: Request,
  expected: Expected,
  rename: (value: JsonObject) => JsonObject = (value) => value,
): Sent {
  const type = mediaTypeOf(request.headers['content-type']);
  // Custom resources have no protobuf encoding.
  if (type === undefined || (type === 'protobuf' && expected.origin === 'custom')) throw unknownFormat();
  const sent = parseBody(request.body, type, expected);
  return { ...sent, value: withExpectedKind(rename(sent.value), request.body, expected) };
}

export function unknownFormat(): StatusError {
  return statusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message:
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  });
}

function parseBody(body: Uint8Array, type: MediaType, expected: Expected): Sent {
  const { kind } = expected;
  const unrecognized = (why: string) =>
    badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summaryOf(body)})`);
  if (type === 'protobuf') {
    const decoded = decodeProtobuf(body, { apiVersion: apiVersionOf(expected), kind });
    if (decoded.kind === 'invalid') {
      const message = decoded.problems[0]?.message ?? '';
      if (decoded.of === undefined) throw unrecognized(message);
      const version = decoded.of.apiVersion.split('/').at(-1) ?? '';
      throw badRequest(
        `${decoded.of.kind} in version ${quoted(version)} cannot be handled as a ${kind}: ${message}`,
      );
    }
    return { value: decoded.value.object, duplicates: [] };
  }
  const json: ReadYaml = type === 'yaml' ? readYaml(body) : readJson(body);
  if (json.kind === 'mistake') {
    const prefix = type === 'yaml' ? 'yaml: ' : "couldn't get version/kind; json parse error: ";
    throw unrecognized(`${prefix}${json.message}`);
  }
  const keyCount = checkDepth(json.value);
  // Go decodes an empty body as an empty object.
  if (json.value === null) return { value: {}, duplicates: [] };
  if (!isJsonObject(json.value)) throw unrecognized(noObjectText(json.value));
  if (json.repeated !== undefined) return { value: json.value, duplicates: [], repeated: json.repeated };
  return { value: json.value, duplicates: duplicateKeys(body, keyCount), text: body };
}

/** The message for bodies that are not objects. */
export function noObjectText(value: Json): string {
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${typeName(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}

type ReadYaml =
  | {
      readonly kind: 'json';
      readonly value: Json;
      /** Messages about duplicate keys; absent for JSON. */
      readonly repeated?: readonly string[];
    }
  | { readonly kind: 'mistake'; readonly message: string };

/** JSON is a subset of YAML and parses faster. */
export function readYaml(body: Uint8Array): ReadYaml {
  const repeated: string[] = [];
  const parsed = parseYaml(new TextDecoder().decode(body), {
    onRepeated(line, key) {
      if (repeated.length < MAX_REPEATED)
        repeated.push(`line ${line}: key ${quoted(key)} already set in map`);
    },
  });
  if (parsed.kind === 'invalid') return { kind: 'mistake', message: parsed.problems[0]?.message ?? '' };
  const [first, second] = parsed.value;
  if (second !== undefined) return { kind: 'mistake', message: 'only one document is expected' };
  return { kind: 'json', value: first?.value ?? null, repeated };
}

const MAX_REPEATED = 100;

/** With strict validation they become one error. */
export function repeatedText(repeated: readonly string[]): string {
  return `yaml: unmarshal errors:${repeated.map((text) => `\n  ${text}`).join('')}`;
}

/** Limits depth and number of values. Returns the number of keys. */
export function checkDepth(value: Json): number {
  const keyCount = countKeys(value, MAX_JSON_DEPTH);
  if (keyCount === undefined) throw badRequest(`the object is nested deeper than ${MAX_JSON_DEPTH} levels`);
  if (holdsMoreThan(value, MAX_BODY_VALUES)) {
    throw badRequest(`the object holds more than ${MAX_BODY_VALUES} values`);
  }
  return keyCount;
}

/** Far more than objects of the largest size have; walking more would block other requests. */
const MAX_BODY_VALUES = 250_000;

/** Kind and version are optional for built-in kinds, but must match the path. */
function withExpectedKind(value: JsonObject, body: Uint8Array, expected: Expected): JsonObject {
  if (expected.origin === 'custom') return customKind(value, body, expected);
  const given = givenKind(value, expected);
  const fit = kindFit(given, expected);
  switch (fit.kind) {
    case 'fits':
      return { ...value, ...given };
    case 'otherVersion':
      throw badRequest(fit.message);
    case 'otherKind':
      throw badRequest(
        `${given.kind} in version ${quoted(versionOf(given))} cannot be handled as a ${expected.kind}: ${fit.message}`,
      );
  }
}

function customKind(value: JsonObject, body: Uint8Array, expected: Expected): JsonObject {
  const apiVersion = textOf(value.apiVersion);
  const kind = textOf(value.kind);
  const wanted = apiVersionOf(expected);
  if (kind === '') {
    const text = new TextDecoder().decode(body);
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): Object 'Kind' is missing in '${text}' (${summaryOf(body)})`,
    );
  }
  if (apiVersion !== wanted) {
    throw badRequest(otherVersionText(apiVersion, wanted));
  }
  if (kind === expected.kind) return value;
  const { metadata } = value;
  const name = isJsonObject(metadata) ? textOf(metadata.name) : '';
  const message = `Invalid value: ${quoted(kind)}: must be ${expected.kind}`;
  throw invalid({ group: expected.group, kind }, name, [{ path: 'kind', message }]);
}

const SUMMARY_BYTES = 30;

function summaryOf(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const head = body.subarray(0, SUMMARY_BYTES);
  const more = body.length > SUMMARY_BYTES ? ' ...' : '';
  if (body[0] === 0x7b) return `${new TextDecoder().decode(head)}${more}`;
  return `${[...head].map((byte) => byte.toString(16).padStart(2, '0')).join('')}${more}`;
}

function typeName(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
