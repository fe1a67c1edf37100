/** Reads the parts of an incoming request. */
import { MAX_BODY_BYTES, type ReceivedBody, type Request } from './http.ts';
import { incomingText } from './outgoing-headers.ts';

/** The needed part of Node's IncomingMessage. */
interface Incoming {
  readonly url?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  on(event: 'data', call: (chunk: Uint8Array) => void): unknown;
  once(event: 'end' | 'close', call: () => void): unknown;
  pause(): unknown;
}

/** So much of an oversized body is read and discarded: a client that is still writing does not read the response. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

export function readBody(incoming: Incoming): Promise<ReceivedBody> {
  return readUpTo(incoming, MAX_BODY_BYTES);
}

/** Reads and discards the body, so that the client reads the error response. */
export async function discardBody(incoming: Incoming): Promise<void> {
  if (declaredBytes(incoming) > 0) await readUpTo(incoming, 0);
}

/** The declared size; the limit for chunked bodies. */
export function declaredBytes({ headers }: Pick<Incoming, 'headers'>): number {
  if (headers['transfer-encoding'] !== undefined) return MAX_BODY_BYTES;
  const length = Number(headers['content-length'] ?? 0);
  return Number.isFinite(length) ? Math.min(length, MAX_BODY_BYTES) : MAX_BODY_BYTES;
}

function readUpTo(incoming: Incoming, maxBytes: number): Promise<ReceivedBody> {
  if (isDeclaredTooLarge(incoming, MAX_DISCARDED_BYTES) || isAwaitingContinue(incoming)) {
    return Promise.resolve('tooLarge');
  }
  return new Promise((resolve) => {
    let chunks: Uint8Array[] = [];
    let size = 0;
    incoming.on('data', (chunk) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks = [];
      if (size <= MAX_DISCARDED_BYTES) return;
      incoming.pause();
      resolve('tooLarge');
    });
    incoming.once('end', () => resolve(size > maxBytes ? 'tooLarge' : joined(chunks, size)));
    incoming.once('close', () => resolve('gone'));
  });
}

/** Whether to answer `100 Continue`. */
export function mayContinue(incoming: Incoming): boolean {
  return !isDeclaredTooLarge(incoming, MAX_BODY_BYTES);
}

/** Proxies may send an absolute URL. */
export function pathOf({ url = '/' }: Pick<Incoming, 'url'>): string {
  const [path = ''] = incomingText(url).split('?');
  return path.replace(/^https?:\/\/[^/]*/i, '') || '/';
}

export function queryOf({ url = '/' }: Pick<Incoming, 'url'>): string {
  const text = incomingText(url);
  const query = text.indexOf('?');
  return query < 0 ? '' : text.slice(query + 1);
}

export function headersOf({ headers }: Pick<Incoming, 'headers'>): Request['headers'] {
  const entries = Object.entries(headers).map(([name, value = '']) => [
    name,
    incomingText(typeof value === 'string' ? value : value.join(', ')),
  ]);
  return Object.fromEntries(entries);
}

function isDeclaredTooLarge({ headers }: Incoming, limit: number): boolean {
  return Number(headers['content-length'] ?? 0) > limit;
}

/** A client that did not get `100 Continue` sends no body. */
function isAwaitingContinue(incoming: Incoming): boolean {
  return /100-continue/i.test(String(incoming.headers.expect ?? '')) && !mayContinue(incoming);
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
