/**
 * The headers of an answer as they go over the wire, and whether its body goes compressed.
 */
import type { Response } from './http.ts';

/** Compressing what fits into a few packets costs more than it saves; kube-apiserver draws the line here. */
export const MIN_GZIP_BYTES = 128 * 1024;

/** As kube-apiserver reads it: the bare word, without any weight. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return (acceptEncoding ?? '').split(',').some((word) => word.trim() === 'gzip');
}

/** Only objects and their like: what has an etag is told apart by its bytes. */
export function mayCompress({ headers, status }: Response): boolean {
  return status === 200 && !headers.some(([name]) => /^(content-encoding|etag)$/i.test(name));
}

/** Names and values by turns. The length is for whoever sends to say. */
export function outgoingHeaders(headers: Response['headers'], more: Response['headers']): readonly string[] {
  return [...headers.filter(([name]) => name.toLowerCase() !== 'content-length'), ...more].flatMap(
    ([name, value]) => [name, headerValue(value)],
  );
}

/**
 * Texts beyond ASCII go as UTF-8, which for Node is one character for each byte. What would break the line is a space,
 * as Go does it.
 */
function headerValue(value: string): string {
  const bytes = new TextEncoder().encode(value);
  let text = '';
  for (const byte of bytes) text += byte < 0x20 || byte === 0x7f ? ' ' : String.fromCharCode(byte);
  return text;
}

/** The way back: a header that came as UTF-8, which Node shows as one character for each byte. */
export function incomingText(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is all of them.
  if (/^[\x00-\x7f]*$/.test(value)) return value;
  return new TextDecoder().decode(Uint8Array.from(value, (character) => character.charCodeAt(0)));
}
