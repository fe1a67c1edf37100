/**
 * Data URLs (RFC 2397), in which a config embeds the contents of a file.
 */

type DataUrl = { readonly mediaType: string; readonly bytes: Uint8Array };

/**
 * Decodes a data URL, base64 or percent-encoded; returns a string with the error if it is invalid. As strict as
 * Ignition: what it would reject at first boot must be rejected here.
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

/** Printable ASCII except the characters that a URL must escape. */
const DATA = /^[!$-;=?-Z_a-z~]*$/;

/** The form of generated files: `data:,` with every byte escaped except letters, digits and `-_.!~*'()`. */
export function percentDataUrl(contents: string | Uint8Array): string {
  const bytes = typeof contents === 'string' ? utf8.encode(contents) : contents;
  const parts: string[] = [];
  for (const byte of bytes) parts.push(ESCAPES[byte] ?? '');
  return `data:,${parts.join('')}`;
}

/** The form that the configuration controllers write. */
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
  // `atob` would also accept missing padding and inner spaces, which Ignition rejects.
  const invalidAt = /^[A-Za-z0-9+/]*/.exec(text)?.[0].length ?? 0;
  const isPadded = text.length % 4 === 0 && /^={0,2}$/.test(text.slice(invalidAt));
  if (!isPadded) return `illegal base64 data at input byte ${invalidAt}`;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** One character per byte, in chunks that fit into an argument list. */
function latin1(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += 8192) {
    parts.push(String.fromCharCode(...bytes.subarray(start, start + 8192)));
  }
  return parts.join('');
}
