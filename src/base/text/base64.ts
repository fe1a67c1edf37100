/**
 * Base64, standard and URL-safe.
 */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]));
VALUES.set('-', 62).set('_', 63);

/** The bytes; undefined if the text is not base64. */
export function base64Bytes(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const characters = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let held = 0;
  let bits = 0;
  let at = 0;
  for (let index = 0; index < characters; index++) {
    const value = VALUES.get(text.charAt(index));
    if (value === undefined) return undefined;
    held = ((held << 6) | value) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (held >> bits) & 0xff;
  }
  return bytes;
}

const CHUNK_BYTES = 8 * 1024;

/** Standard alphabet, padded. */
export function base64Text(bytes: Uint8Array): string {
  let characters = '';
  // The number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    characters += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(characters);
}

/** URL-safe alphabet, without padding. */
export function base64UrlText(bytes: Uint8Array): string {
  return base64Text(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
