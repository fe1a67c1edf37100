/**
 * The messages of the Container Runtime Interface (`runtime.v1`) that are used here, in protobuf's wire format.
 *
 * Only the needed fields are written; of answers unknown fields are skipped, as protobuf asks for.
 */
import { joinBytes } from '../../../base/bytes.ts';

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

export type CriAuth = { readonly username: string; readonly password: string };

/** `ImageStatusRequest`, and with credentials `PullImageRequest`: both begin with the image. */
export function imageRequest(image: string, auth?: CriAuth): Uint8Array {
  const spec = field(1, field(1, image));
  if (auth === undefined) return spec;
  return joinBytes([spec, field(2, joinBytes([field(1, auth.username), field(2, auth.password)]))]);
}

/** Of an `ImageStatusResponse`: undefined where there is no such image. */
export function readImageId(response: Uint8Array): string | undefined {
  const image = firstBytes(response, 1);
  const id = image === undefined ? undefined : firstBytes(image, 1);
  return id === undefined || id.length === 0 ? undefined : new TextDecoder().decode(id);
}

/** Of an `ImageFsInfoResponse`: the first file system of images. */
export function readImageFolder(response: Uint8Array): string | undefined {
  const usage = firstBytes(response, 1);
  const id = usage === undefined ? undefined : firstBytes(usage, 2);
  const mountpoint = id === undefined ? undefined : firstBytes(id, 1);
  return mountpoint === undefined ? undefined : new TextDecoder().decode(mountpoint);
}

function field(number: number, content: string | Uint8Array): Uint8Array {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return joinBytes([varint(number * 8 + BYTES), varint(bytes.length), bytes]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return new Uint8Array(bytes);
}

/** The first field with this number that has bytes; undefined where there is none, or the message is no protobuf. */
function firstBytes(message: Uint8Array, wanted: number): Uint8Array | undefined {
  let at = 0;
  while (at < message.length) {
    const tag = readVarint(message, at);
    if (tag === undefined) return undefined;
    const [number, type] = [Math.floor(tag.value / 8), tag.value % 8];
    const value = contentOf(message, tag.end, type);
    if (value === undefined) return undefined;
    if (number === wanted && type === BYTES) return value.bytes;
    at = value.end;
  }
  return undefined;
}

type Content = { readonly bytes: Uint8Array; readonly end: number };

function contentOf(message: Uint8Array, at: number, type: number): Content | undefined {
  const slice = (start: number, length: number): Content | undefined =>
    start + length > message.length
      ? undefined
      : { bytes: message.subarray(start, start + length), end: start + length };
  if (type === FIXED64) return slice(at, 8);
  if (type === FIXED32) return slice(at, 4);
  const value = readVarint(message, at);
  if (value === undefined) return undefined;
  if (type === VARINT) return slice(value.end, 0);
  return type === BYTES ? slice(value.end, value.value) : undefined;
}

const MAX_VARINT_BYTES = 10;

function readVarint(
  message: Uint8Array,
  at: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const byte = message[at + index];
    if (byte === undefined) return undefined;
    value += (byte % 128) * 128 ** index;
    if (byte < 128) return { value, end: at + index + 1 };
  }
  return undefined;
}
