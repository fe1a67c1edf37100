/**
 * Searches bytes for texts, also where these are packed: in base64, percent-encoded, escaped as JSON, in hexadecimal digits or
 * compressed, and in any of these within another.
 */
import { gunzipSync } from 'node:zlib';

/** Deeper than anything packs a secret. */
const MAX_DEPTH = 4;
/** Shorter ones hold no secret. */
const BASE64 = /[A-Za-z0-9+/_-]{12,}={0,2}/g;
const HEX = /(?:[0-9a-fA-F]{2}){8,}/g;

export type Hit = { readonly needle: string; readonly form: string };

/** Each needle that occurs, with how it was packed. */
export function findInBytes(bytes: Uint8Array, needles: readonly string[]): readonly Hit[] {
  const hits = new Map<string, Hit>();
  const seen = new Set<string>();
  const search = (buffer: Buffer, form: string, depth: number): void => {
    const text = buffer.toString('latin1');
    if (seen.has(text)) return;
    seen.add(text);
    for (const needle of needles) {
      if (text.includes(needle) && !hits.has(needle)) hits.set(needle, { needle, form });
    }
    if (depth >= MAX_DEPTH) return;
    for (const [packing, unpacked] of unpackings(buffer, text))
      search(unpacked, `${form} ${packing}`.trim(), depth + 1);
  };
  search(Buffer.from(bytes), '', 0);
  return [...hits.values()];
}

function* unpackings(buffer: Buffer, text: string): Generator<readonly [packing: string, unpacked: Buffer]> {
  if (buffer[0] === 0x1f && buffer[1] === 0x8b) {
    const unpacked = inflated(buffer);
    if (unpacked !== undefined) yield ['gzip', unpacked];
  }
  if (/%[0-9a-fA-F]{2}/.test(text)) {
    yield [
      'percent',
      Buffer.from(
        text.replace(/%([0-9a-fA-F]{2})/g, (_, hex) => fromHex(hex)),
        'latin1',
      ),
    ];
  }
  if (text.includes('\\')) {
    yield [
      'escapes',
      Buffer.from(
        text.replace(/\\u00([0-9a-f]{2})/g, (_, hex) => fromHex(hex)).replace(/\\(.)/g, '$1'),
        'latin1',
      ),
    ];
  }
  for (const [run] of text.matchAll(BASE64)) yield ['base64', Buffer.from(run, 'base64')];
  // A text that was broken into lines, as PEM and YAML do it.
  const joined = text.replaceAll(/\s+/g, '');
  if (joined !== text)
    for (const [run] of joined.matchAll(BASE64)) yield ['base64 in lines', Buffer.from(run, 'base64')];
  for (const [run] of text.matchAll(HEX)) yield ['hex', Buffer.from(run, 'hex')];
}

function fromHex(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function inflated(buffer: Buffer): Buffer | undefined {
  try {
    return gunzipSync(buffer, { maxOutputLength: 16 * 1024 * 1024 });
  } catch {
    return undefined;
  }
}
