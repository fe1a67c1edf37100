/**
 * Data URLs (RFC 2397): how a config carries the contents of a file inside itself.
 */

type DataUrl = { readonly mediaType: string; readonly bytes: Uint8Array };

/**
 * Reads a data URL, base64 or percent-encoded; a text instead says what is wrong with it. As strict as the
 * reader on the node: what it would refuse at first boot must not get that far.
 */
export function decodeDataUrl(url: string): DataUrl | string {
  if (!url.startsWith('data:')) return 'missing data prefix';
  const comma = url.indexOf(',');
  if (comma < 0) return 'missing comma before data';
  const head = url.slice('data:'.length, comma);
  const data = url.slice(comma + 1);
  const isBase64 = head.endsWith(';base64');
  const mediaType = isBase64 ? head.slice(0, -';base64'.length) : head;
  if (!MEDIA_TYPE.test(mediaType)) return 'invalid media type';
  if (!DATA.test(data))
    return 'invalid data character: spaces, quotes and other marks must be written as %XX';
  const bytes = isBase64 ? base64Decode(data) : percentDecode(data);
  return typeof bytes === 'string' ? bytes : { mediaType, bytes };
}

const MEDIA_TYPE =
  /^((text|image|audio|video|application|message|multipart|x-[\w.+-]+)\/[\w.+*-]+)?(;[\w.!#$&^`|~*+-]+=([\w.!#$&^`|~*+%-]+|"[^"]*"))*$/;

/** Printable ASCII but for the characters that a URL may not hold as they are. */
const DATA = /^[!$-;=?-Z_a-z~]*$/;

/** The form that generated files use: `data:,` and every byte escaped but letters, digits and `-_.!~*'()`. */
export function percentDataUrl(contents: string | Uint8Array): string {
  const bytes = typeof contents === 'string' ? utf8.encode(contents) : contents;
  const parts: string[] = [];
  for (const byte of bytes) parts.push(ESCAPES[byte] ?? '');
  return `data:,${parts.join('')}`;
}

/** The form that configuration controllers use. */
export function base64DataUrl(mediaType: string, contents: string | Uint8Array): string {
  const bytes = typeof contents === 'string' ? utf8.encode(contents) : contents;
  return `data:${mediaType};base64,${btoa(latin1(bytes))}`;
}

const utf8 = new TextEncoder();

const ESCAPES: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z0-9\-_.!~*'()]/.test(character)) return character;
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});

function percentDecode(text: string): Uint8Array | string {
  const bytes = utf8.encode(text);
  if (!text.includes('%')) return bytes;
  let length = 0;
  for (let index = 0; index < bytes.length; index++, length++) {
    const byte = bytes[index] ?? 0;
    if (byte !== PERCENT) {
      bytes[length] = byte;
      continue;
    }
    const high = hexValue(bytes[index + 1]);
    const low = hexValue(bytes[index + 2]);
    if (high < 0 || low < 0) return `data URL has a broken escape after ${length} bytes`;
    bytes[length] = high * 16 + low;
    index += 2;
  }
  return bytes.subarray(0, length);
}

const PERCENT = 0x25;

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? -1 : digit;
}

function base64Decode(text: string): Uint8Array | string {
  // `atob` would also take missing padding and inner spaces, which the tools on a node refuse.
  const invalidAt = /^[A-Za-z0-9+/]*/.exec(text)?.[0].length ?? 0;
  const isPadded = text.length % 4 === 0 && /^={0,2}$/.test(text.slice(invalidAt));
  if (!isPadded) return `illegal base64 data at input byte ${invalidAt}`;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** One character per byte, in pieces that the call stack can take. */
function latin1(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += 8192) {
    parts.push(String.fromCharCode(...bytes.subarray(start, start + 8192)));
  }
  return parts.join('');
}
