/**
 * Decodes request bodies in Kubernetes' protobuf: four bytes of prefix, then an envelope with the kind and the object.
 *
 * The result is the JSON that a client written with client-go would have sent instead.
 */
import type { Outcome } from '../../base/errors.ts';
import { isDeeperThan, type Json, type JsonObject, MAX_JSON_DEPTH } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { decodeMessage, fieldsOf, joined } from './decode-message.ts';
import { messageOfKind } from './kinds.ts';
import { type Message, parseMessage } from './message.ts';
import { WireError } from './wire.ts';

/** The object includes apiVersion and kind. It has nothing else where the kind is unknown. */
type ProtobufObject = TypeName & { readonly object: JsonObject };

type TypeName = { readonly apiVersion: string; readonly kind: string };

/** `of`: the type in the envelope, where it could be read. */
type DecodedProtobuf = Outcome<ProtobufObject> & { readonly of?: TypeName };

export const PREFIX: readonly number[] = [0x6b, 0x38, 0x73, 0x00];

/** `expected`: the type of the object where its envelope has none. Never throws. */
export function decodeProtobuf(bytes: Uint8Array, expected?: TypeName): DecodedProtobuf {
  const envelope = attempt(() => decodeEnvelope(bytes));
  if (typeof envelope === 'string') return failed(envelope);
  const of = typeOf(envelope, expected);
  if (of.kind === '') return failed(missing('Kind', envelope));
  if (of.apiVersion === '') return failed(missing('apiVersion', envelope));
  const message = messageOfKind(of.apiVersion, of.kind);
  const object = message === undefined ? {} : attempt(() => decodeObject(message, envelope.raw));
  if (typeof object === 'string') return { ...failed(object), of };
  return { kind: 'ok', value: { ...of, object: { ...of, ...object } }, warnings: [], of };
}

type Envelope = TypeName & { readonly raw: Uint8Array };

const ENVELOPE = parseMessage(
  'Unknown',
  '1 typeMeta bytes, 2 raw bytes, 3 contentEncoding string, 4 contentType string',
);
const TYPE_META = parseMessage('TypeMeta', '1 apiVersion string!, 2 kind string!');

function decodeEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new WireError('empty data');
  if (PREFIX.some((byte, index) => bytes[index] !== byte)) {
    const wanted = `[${PREFIX.join(' ')}]`;
    throw new WireError(`provided data does not appear to be a protobuf message, expected prefix ${wanted}`);
  }
  if (bytes.length === PREFIX.length) throw new WireError('empty body');
  const fields = fieldsOf(ENVELOPE, bytes.subarray(PREFIX.length));
  const { apiVersion, kind } = decodeMessage(TYPE_META, joined(fields.get(1) ?? []));
  return {
    apiVersion: textOf(apiVersion),
    kind: textOf(kind),
    raw: joined((fields.get(2) ?? []).slice(-1)),
  };
}

function decodeObject(message: Message, raw: Uint8Array): JsonObject {
  const object = decodeMessage(message, raw);
  // Raw JSON in a message may be nested deeper than messages may.
  if (isDeeperThan(object, MAX_JSON_DEPTH)) {
    throw new WireError(`the object is nested deeper than ${MAX_JSON_DEPTH} levels`);
  }
  return object;
}

/** An apiVersion is used whole: one without a group is in the core group. */
function typeOf({ apiVersion, kind }: Envelope, expected: TypeName | undefined): TypeName {
  return {
    apiVersion: apiVersion === '' ? (expected?.apiVersion ?? '') : apiVersion,
    kind: kind === '' ? (expected?.kind ?? '') : kind,
  };
}

function missing(what: string, { apiVersion, kind }: Envelope): string {
  const given = `runtime.TypeMeta{APIVersion:${quoted(apiVersion)}, Kind:${quoted(kind)}}`;
  return `Object '${what}' is missing in '${given}'`;
}

function failed(message: string): DecodedProtobuf & { readonly kind: 'invalid' } {
  return { kind: 'invalid', problems: [{ path: '', message }] };
}

/** The result, or the error in the bytes. */
function attempt<T extends object>(decode: () => T): T | string {
  try {
    return decode();
  } catch (error) {
    if (error instanceof WireError) return error.message;
    throw error;
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
