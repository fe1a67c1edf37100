/** Response headers on the wire, and compression. */
import type { Response } from './http.ts';

/** Small bodies are not worth compressing; the threshold of kube-apiserver. */
export const MIN_GZIP_BYTES = 128 * 1024;

/** As in kube-apiserver, quality values are not supported. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return (acceptEncoding ?? '').split(',').some((word) => word.trim() === 'gzip');
}

/** Not discovery documents, whose etag depends on their bytes. */
export function mayCompress({ headers, status }: Response): boolean {
  return status === 200 && !headers.some(([name]) => /^(content-encoding|etag)$/i.test(name));
}

/** Names and values alternate. The sender sets the content length. */
export function outgoingHeaders(headers: Response['headers'], more: Response['headers']): readonly string[] {
  return [...headers.filter(([name]) => name.toLowerCase() !== 'content-length'), ...more].flatMap(
    ([name, value]) => [name, headerValue(value)],
  );
}

/**
 * Non-ASCII text is sent as UTF-8, which Node represents as one character per byte. Line breaks become spaces, as in
 * Go.
 */
function headerValue(value: string): string {
  const bytes = new TextEncoder().encode(value);
  let text = '';
  for (const byte of bytes) text += byte < 0x20 || byte === 0x7f ? ' ' : String.fromCharCode(byte);
  return text;
}

/** Decodes a header that was sent as UTF-8. */
export function incomingText(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is all of them.
  if (/^[\x00-\x7f]*$/.test(value)) return value;
  return new TextDecoder().decode(Uint8Array.from(value, (character) => character.charCodeAt(0)));
}
