/**
 * What a client sends, read from a request as it comes in over the wire.
 */
import { type ArrivedBody, MAX_BODY_BYTES, type Request } from './http.ts';
import { incomingText } from './outgoing-headers.ts';

/** As much of Node's idea of a request as is needed here. */
interface Incoming {
  readonly url?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  on(event: 'data', call: (chunk: Uint8Array) => void): unknown;
  once(event: 'end' | 'close', call: () => void): unknown;
  pause(): unknown;
}

/** Of a body that is too large so much is read and thrown away: a client that is still writing hears no answer. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

export function readBody(incoming: Incoming): Promise<ArrivedBody> {
  return readUpTo(incoming, MAX_BODY_BYTES);
}

/** Reads what nobody wants: who is refused while still sending would otherwise not hear why. */
export async function discardBody(incoming: Incoming): Promise<void> {
  if (declaredBytes(incoming) > 0) await readUpTo(incoming, 0);
}

/** What the body is said to hold, or could: who sends it in pieces does not say. */
export function declaredBytes({ headers }: Pick<Incoming, 'headers'>): number {
  if (headers['transfer-encoding'] !== undefined) return MAX_BODY_BYTES;
  const length = Number(headers['content-length'] ?? 0);
  return Number.isFinite(length) ? Math.min(length, MAX_BODY_BYTES) : MAX_BODY_BYTES;
}

function readUpTo(incoming: Incoming, maxBytes: number): Promise<ArrivedBody> {
  if (isDeclaredTooLarge(incoming, MAX_DISCARDED_BYTES) || mayStillWait(incoming)) {
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

/** Whether the client may be told to go on with its body. */
export function mayGoOn(incoming: Incoming): boolean {
  return !isDeclaredTooLarge(incoming, MAX_BODY_BYTES);
}

/** Proxies may send the whole URL. */
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

/** A client that asked first and was not told to go on sends nothing of its body. */
function mayStillWait(incoming: Incoming): boolean {
  return /100-continue/i.test(String(incoming.headers.expect ?? '')) && !mayGoOn(incoming);
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
