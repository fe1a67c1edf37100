/**
 * A client with minimal CPU use: on two cores it competes with the server that it measures.
 *
 * Requests are written as text to open TLS sockets, one at a time per socket, and only status and end of a response
 * are parsed.
 */
import { connect, type TLSSocket } from 'node:tls';

export type Server = {
  readonly name: string;
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
};

export type Connection = {
  /** The body; rejects if the status is 300 or more. */
  readonly ask: (method: string, path: string, body?: object) => Promise<Buffer>;
  /** Sends the request and passes on each chunk of the body until the connection ends. */
  readonly stream: (path: string, onPiece: (piece: Buffer) => void) => Promise<void>;
  readonly close: () => void;
};

export async function openConnection({ url, ca, cert, key }: Server): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ca, cert, key, ALPNProtocols: ['http/1.1'] });
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
  });
  const reader = new AnswerReader(socket);
  const send = (method: string, path: string, body?: object): void => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(text)}\r\n`;
    socket.write(`${method} ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${HEADERS}${length}\r\n${text}`);
  };
  return {
    ask(method, path, body) {
      send(method, path, body);
      return reader.answer();
    },
    stream(path, onPiece) {
      send('GET', path);
      return reader.stream(onPiece);
    },
    close: () => socket.destroy(),
  };
}

/**
 * Counts the events of a watch in its chunks: each ends with a line feed, while the line feeds between chunks follow
 * a carriage return.
 */
export function eventCounter(onEvents: (count: number) => void): (piece: Buffer) => void {
  let lastByte = 0;
  return (piece) => {
    let count = 0;
    for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) {
      if ((at === 0 ? lastByte : piece[at - 1]) !== CARRIAGE_RETURN) count++;
    }
    lastByte = piece.at(-1) ?? lastByte;
    if (count > 0) onEvents(count);
  };
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const HEADERS =
  'accept: application/json\r\ncontent-type: application/json\r\nuser-agent: millwright-bench\r\n';
const HEAD_END = '\r\n\r\n';
/** The end of a chunked body; JSON contains no carriage return, so it cannot occur in ours. */
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/** The start and length of the body; without a length it is chunked. */
type Head = { readonly at: number; readonly status: number; readonly bodyBytes: number | undefined };
type Expected = { readonly resolve: (body: Buffer) => void; readonly reject: (cause: Error) => void };

class AnswerReader {
  #pieces: Buffer[] = [];
  #length = 0;
  #head: Head | undefined;
  #expected: Expected | undefined;
  #onPiece: ((piece: Buffer) => void) | undefined;
  #failure: Error | undefined;

  constructor(socket: TLSSocket) {
    socket.on('data', (piece: Buffer) => this.#take(piece));
    socket.once('error', (error) => this.#fail(error));
    socket.once('close', () => this.#fail(new Error('the connection was closed')));
  }

  answer(): Promise<Buffer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#expected = { resolve, reject };
    });
  }

  async stream(onPiece: (piece: Buffer) => void): Promise<void> {
    const first = this.answer();
    this.#onPiece = onPiece;
    await first;
  }

  #take(piece: Buffer): void {
    if (this.#onPiece !== undefined && this.#head !== undefined) {
      this.#onPiece(piece);
      return;
    }
    this.#pieces.push(piece);
    this.#length += piece.length;
    this.#head ??= this.#readHead();
    if (this.#head === undefined) return;
    if (this.#onPiece !== undefined) this.#beginStream(this.#head);
    else if (this.#isWhole(this.#head)) this.#finish(this.#head);
  }

  #readHead(): Head | undefined {
    const bytes = this.#joined();
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) return undefined;
    const text = bytes.toString('latin1', 0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    return {
      at: end + HEAD_END.length,
      status: Number(text.slice(9, 12)),
      bodyBytes: length === undefined ? undefined : Number(length),
    };
  }

  #isWhole({ at, bodyBytes }: Head): boolean {
    if (bodyBytes !== undefined) return this.#length >= at + bodyBytes;
    const last = this.#pieces.at(-1) ?? Buffer.alloc(0);
    const tail = last.length >= LAST_CHUNK.length ? last : this.#joined();
    return tail.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  }

  #finish({ at, status }: Head): void {
    const body = this.#joined().subarray(at);
    const expected = this.#forget();
    if (status < 300) expected?.resolve(body);
    else expected?.reject(new Error(`${status}: ${body.toString()}`));
  }

  #beginStream({ at, status }: Head): void {
    const rest = this.#joined().subarray(at);
    const head = this.#head;
    const expected = this.#forget();
    this.#head = head;
    if (status < 300) expected?.resolve(Buffer.alloc(0));
    else expected?.reject(new Error(`${status}: ${rest.toString()}`));
    if (rest.length > 0) this.#onPiece?.(rest);
  }

  #forget(): Expected | undefined {
    const expected = this.#expected;
    this.#pieces = [];
    this.#length = 0;
    this.#head = undefined;
    this.#expected = undefined;
    return expected;
  }

  #joined(): Buffer {
    const [only] = this.#pieces;
    if (this.#pieces.length === 1 && only !== undefined) return only;
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [bytes];
    return bytes;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#forget()?.reject(this.#failure);
  }
}
