/** The binary encoding of table rows. Numbers are big-endian, so that revisions sort numerically. */
import type { Revision } from './store.ts';
import type { LogRecord, State } from './tables.ts';

const NUMBER_BYTES = 8;
/** Kind, previous revision, cost; the key follows. */
const RECORD_HEAD_BYTES = 1 + 2 * NUMBER_BYTES;
const PUT = 1;
const DELETE = 2;

const utf8 = new TextEncoder();
const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const encodeText = (key: string): Uint8Array => utf8.encode(key);
export const decodeText = (bytes: Uint8Array): string => text.decode(bytes);

export function encodeRevision(revision: Revision): Uint8Array {
  const bytes = new Uint8Array(NUMBER_BYTES);
  putNumber(bytes, 0, revision);
  return bytes;
}

export function decodeRevision(bytes: Uint8Array): Revision {
  return numberAt(bytes, 0);
}

export function encodeState({ revision, compacted, logBytes }: State): Uint8Array {
  return encodeNumbers([revision, compacted, logBytes]);
}

export function decodeState(bytes: Uint8Array): State {
  const [revision, compacted, logBytes] = [0, 1, 2].map((index) => numberAt(bytes, index * NUMBER_BYTES));
  return { revision: revision ?? 0, compacted: compacted ?? 0, logBytes: logBytes ?? 0 };
}

/** 0 means no previous revision. */
export function encodeRecord({ kind, key, previous, cost }: LogRecord): Uint8Array {
  const keyBytes = encodeText(key);
  const bytes = new Uint8Array(RECORD_HEAD_BYTES + keyBytes.length);
  bytes[0] = kind === 'put' ? PUT : DELETE;
  bytes.set(encodeNumbers([previous ?? 0, cost]), 1);
  bytes.set(keyBytes, RECORD_HEAD_BYTES);
  return bytes;
}

export function decodeRecord(bytes: Uint8Array): LogRecord {
  const previous = numberAt(bytes, 1);
  return {
    kind: bytes[0] === PUT ? 'put' : 'delete',
    key: decodeText(bytes.subarray(RECORD_HEAD_BYTES)),
    previous: previous === 0 ? undefined : previous,
    cost: numberAt(bytes, 1 + NUMBER_BYTES),
  };
}

/** The end of the range of a prefix; UTF-8 contains no 0xff, so the last byte can be incremented. */
export function encodeEnd(prefix: string): Uint8Array | undefined {
  const bytes = encodeText(prefix);
  const last = bytes.length - 1;
  if (last < 0) return undefined;
  bytes[last] = (bytes[last] ?? 0) + 1;
  return bytes;
}

function encodeNumbers(numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(numbers.length * NUMBER_BYTES);
  for (const [index, number] of numbers.entries()) putNumber(bytes, index * NUMBER_BYTES, number);
  return bytes;
}

/** Byte by byte: creating a DataView for every object of a list would cost more. */
function putNumber(bytes: Uint8Array, offset: number, number: number): void {
  let rest = number;
  for (let at = offset + NUMBER_BYTES - 1; at >= offset; at--) {
    const above = Math.floor(rest / 256);
    bytes[at] = rest - above * 256;
    rest = above;
  }
}

function numberAt(bytes: Uint8Array, offset: number): number {
  let number = 0;
  for (let at = offset; at < offset + NUMBER_BYTES; at++) number = number * 256 + (bytes[at] ?? 0);
  return number;
}
