/**
 * Encodes objects in Kubernetes' protobuf, for clients that accept nothing else.
 */
import type { JsonObject } from '../../base/json.ts';
import { PREFIX } from './decode-protobuf.ts';
import { encodeMessage } from './encode-message.ts';
import { messageOfKind } from './kinds.ts';
import { parseMessage } from './message.ts';
import { BYTES, Writer } from './wire.ts';

const TYPE_META = parseMessage('TypeMeta', '1 apiVersion string, 2 kind string');

/** The object, list or Status with its envelope; undefined where the kind has no protobuf encoding. */
export function encodeProtobuf(object: JsonObject): Uint8Array | undefined {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const message = messageOfKind(apiVersion, kind);
  if (message === undefined) return undefined;
  const writer = new Writer();
  writer.append(Uint8Array.from(PREFIX));
  const parts = [
    encodeMessage(TYPE_META, { apiVersion, kind }),
    encodeMessage(message, object),
    NOTHING,
    NOTHING,
  ];
  for (const [index, part] of parts.entries()) {
    writer.tag(index + 1, BYTES);
    writer.bytes(part);
  }
  return writer.finish();
}

const NOTHING = new Uint8Array();
