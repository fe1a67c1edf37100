/**
 * DER (X.690), as much of it as certificate requests need, for reading alone. The encoding must be the only possible one:
 * what another reader could understand otherwise is refused.
 */

/** Thrown inside of this module alone: `parseCertificateRequest` returns its message. */
export class NotDer extends Error {}

export type DerValue = { readonly tag: number; readonly content: Uint8Array };

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  none: 0x05,
  objectIdentifier: 0x06,
  utf8: 0x0c,
  printable: 0x13,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The values that these bytes consist of. */
export function derValues(bytes: Uint8Array): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { value, end } = valueAt(bytes, at);
    values.push(value);
    at = end;
  }
  return values;
}

/** The content of the value, which must have this tag. */
export function contentOf(value: DerValue | undefined, tag: number, what: string): Uint8Array {
  if (value?.tag !== tag) throw new NotDer(`${what} is missing or of another type`);
  return value.content;
}

/** The values inside of a sequence or set. */
export function partsOf(value: DerValue | undefined, tag: number, what: string): readonly DerValue[] {
  return derValues(contentOf(value, tag, what));
}

/** `1.2.840.10045.2.1` */
export function objectIdentifier(value: DerValue | undefined, what: string): string {
  const content = contentOf(value, TAG.objectIdentifier, what);
  if (content.length === 0 || content.length > MAX_IDENTIFIER_BYTES)
    throw new NotDer(`${what} is no identifier`);
  const numbers: number[] = [];
  let number = 0;
  let isInside = false;
  for (const byte of content) {
    if (!isInside && byte === 0x80) throw new NotDer(`${what} has leading zeros`);
    number = number * 128 + (byte & 0x7f);
    if (number > MAX_IDENTIFIER_NUMBER) throw new NotDer(`${what} has a number that is too large`);
    isInside = byte >= 0x80;
    if (isInside) continue;
    numbers.push(number);
    number = 0;
  }
  if (isInside) throw new NotDer(`${what} is incomplete`);
  const [head = 0, ...rest] = numbers;
  const first = Math.min(2, Math.floor(head / 40));
  return [first, head - 40 * first, ...rest].join('.');
}

/** The bytes of a non-negative integer, without the zero in front of a leading one bit. */
export function unsignedBytes(value: DerValue | undefined, what: string): Uint8Array {
  const content = contentOf(value, TAG.integer, what);
  const [first, second] = content;
  if (first === undefined || first >= 0x80) throw new NotDer(`${what} is negative or empty`);
  if (first === 0 && second !== undefined && second < 0x80) throw new NotDer(`${what} has leading zeros`);
  return first === 0 && second !== undefined ? content.subarray(1) : content;
}

/** Of a bit string of whole bytes. */
export function wholeBits(value: DerValue | undefined, what: string): Uint8Array {
  const content = contentOf(value, TAG.bits, what);
  if (content[0] !== 0) throw new NotDer(`${what} has no whole bytes`);
  return content.subarray(1);
}

/** Only the two types that the libraries of Kubernetes write; the others have several readings. */
export function textOf(value: DerValue | undefined, what: string): string {
  if (value?.tag === TAG.printable) {
    const text = String.fromCharCode(...value.content.subarray(0, MAX_TEXT_BYTES + 1));
    if (text.length <= MAX_TEXT_BYTES && /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text)) return text;
    throw new NotDer(`${what} is too long or has characters that its type does not have`);
  }
  const content = contentOf(value, TAG.utf8, what);
  if (content.length > MAX_TEXT_BYTES) throw new NotDer(`${what} is too long`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new NotDer(`${what} is not UTF-8`);
  }
}

const MAX_IDENTIFIER_BYTES = 32;
const MAX_IDENTIFIER_NUMBER = 2 ** 31 - 1;
const MAX_TEXT_BYTES = 1024;
/** Lengths of up to 16 MiB; a request is far smaller. */
const MAX_LENGTH_BYTES = 3;

function valueAt(bytes: Uint8Array, at: number): { readonly value: DerValue; readonly end: number } {
  const [tag = 0, head] = bytes.subarray(at, at + 2);
  if (head === undefined) throw new NotDer('a value is incomplete');
  if ((tag & 0x1f) === 0x1f) throw new NotDer('a tag has several bytes');
  const digits = head < 0x80 ? 0 : head & 0x7f;
  if (head >= 0x80 && (digits === 0 || digits > MAX_LENGTH_BYTES))
    throw new NotDer('a length is not allowed');
  const start = at + 2 + digits;
  const length =
    digits === 0 ? head : bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  if (digits > 0 && length < (digits === 1 ? 0x80 : 256 ** (digits - 1))) {
    throw new NotDer('a length is longer than it needs to be');
  }
  const end = start + length;
  if (end > bytes.length) throw new NotDer('a value is incomplete');
  return { value: { tag, content: bytes.subarray(start, end) }, end };
}
