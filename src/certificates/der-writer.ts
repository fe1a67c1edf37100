/**
 * DER (X.690), as much of it as certificates need, for writing alone: each function gives the bytes of one value,
 * tag and length included.
 */
import { assert } from '../base/errors.ts';
import { civilTime } from '../base/text/index.ts';

export function sequence(...items: readonly Uint8Array[]): Uint8Array {
  return tagged(0x30, ...items);
}

/** With one member: members of larger sets would have to be sorted. */
export function setOf(item: Uint8Array): Uint8Array {
  return tagged(0x31, item);
}

/** A non-negative integer, big-endian. */
export function unsigned(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Uint8Array.of(0) : bytes.subarray(first);
  // A leading one bit would make it negative.
  return (digits[0] ?? 0) >= 0x80 ? tagged(0x02, Uint8Array.of(0), digits) : tagged(0x02, digits);
}

export function boolean(value: boolean): Uint8Array {
  return tagged(0x01, Uint8Array.of(value ? 0xff : 0));
}

export function octets(content: Uint8Array): Uint8Array {
  return tagged(0x04, content);
}

/** Whole bytes. */
export function bits(content: Uint8Array): Uint8Array {
  return tagged(0x03, Uint8Array.of(0), content);
}

/** Flags by bit number; trailing zeros are omitted. */
export function namedBits(numbers: readonly number[]): Uint8Array {
  assert(
    numbers.every((number) => number >= 0 && number < 8),
    'flags fit into one byte',
  );
  const last = Math.max(-1, ...numbers);
  if (last < 0) return tagged(0x03, Uint8Array.of(0));
  const flags = numbers.reduce((sum, number) => sum | (0x80 >> number), 0);
  return tagged(0x03, Uint8Array.of(7 - last, flags));
}

export function utf8(text: string): Uint8Array {
  return tagged(0x0c, new TextEncoder().encode(text));
}

/** `1.2.840.10045.2.1`, the first number 0, 1 or 2, and the second below 40. */
export function objectIdentifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** As in RFC 5280: UTCTime until 2049, GeneralizedTime after; whole seconds. */
export function time(millisSince1970: number): Uint8Array {
  const civil = civilTime(BigInt(Math.floor(millisSince1970 / 1000)) * 1_000_000_000n);
  assert(civil.year >= 1950 && civil.year <= 9999, 'a certificate can name this year');
  const year = String(civil.year);
  const two = (part: number) => String(part).padStart(2, '0');
  const rest = [civil.month + 1, civil.day, civil.hours, civil.minutes, civil.seconds].map(two).join('');
  return civil.year < 2050
    ? tagged(0x17, ascii(`${year.slice(2)}${rest}Z`))
    : tagged(0x18, ascii(`${year}${rest}Z`));
}

/** `[number] EXPLICIT`: a tag around a value that keeps its own. */
export function explicit(number: number, item: Uint8Array): Uint8Array {
  return tagged(0xa0 | number, item);
}

/** `[number] IMPLICIT` of something that has no parts: a tag in place of its own. */
export function implicit(number: number, content: Uint8Array): Uint8Array {
  return tagged(0x80 | number, content);
}

export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    assert(code < 0x80, 'the text is ASCII');
    return code;
  });
}

function tagged(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  const head = [tag, ...lengthOctets(size)];
  const bytes = new Uint8Array(head.length + size);
  bytes.set(head);
  let at = head.length;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The short form below 128, otherwise the long form. */
function lengthOctets(size: number): readonly number[] {
  if (size < 0x80) return [size];
  const digits: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  return [0x80 | digits.length, ...digits];
}

/** Base 128, most significant first; all bytes but the last have the top bit set. */
function base128(number: number): readonly number[] {
  const digits = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) {
    digits.unshift((rest % 128) | 0x80);
  }
  return digits;
}
