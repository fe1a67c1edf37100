/**
 * Base64, as Go decodes and encodes it.
 */
import { base64Bytes } from '../../../base/text/index.ts';

type ReadBase64 =
  | { readonly kind: 'base64'; readonly text: string }
  | { readonly kind: 'failed'; readonly message: string };

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The text without the line breaks that Go ignores, or the offset of the first error. */
export function readBase64(sent: string): ReadBase64 {
  const error = firstError(sent);
  if (error !== undefined) return { kind: 'failed', message: `illegal base64 data at input byte ${error}` };
  return { kind: 'base64', text: sent.replace(/[\r\n]/g, '') };
}

/** The number of bytes that a valid text encodes. */
export function base64Length(text: string): number {
  return base64Bytes(text)?.length ?? 0;
}

/** An incomplete group of four is reported at its first character. */
function firstError(text: string): number | undefined {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\n' || character === '\r') continue;
    if (character === '=') return paddingError(text, at, count % 4);
    if (!ALPHABET.includes(character)) return at;
    count += 1;
  }
  return count % 4 === 0 ? undefined : text.length - (count % 4);
}

/** Padding is at the end: two characters after two, one after three. */
function paddingError(text: string, at: number, filled: number): number | undefined {
  if (filled < 2) return at;
  let next = skipBreaks(text, at + 1);
  if (filled === 2) {
    if (next === text.length) return text.length;
    if (text.charAt(next) !== '=') return next - 1;
    next = skipBreaks(text, next + 1);
  }
  return next < text.length ? next : undefined;
}

function skipBreaks(text: string, from: number): number {
  let at = from;
  while (at < text.length && /[\r\n]/.test(text.charAt(at))) at += 1;
  return at;
}
