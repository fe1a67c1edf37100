/**
 * Calls a container runtime over its socket: gRPC, which is one HTTP/2 request for each call.
 */
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { Failure } from '../../../base/errors.ts';
import { onAbort } from '../../../base/waiting.ts';
import type { CriCall } from './linux-images.ts';

/** As kubelets limit it. */
const MAX_MESSAGE_BYTES = 16 * 1024 ** 2;
const PREFIX_BYTES = 5;
const MAX_ERROR_CHARACTERS = 8 * 1024;

/** `socket`: its path as seen by this process. */
export function createCriCall(socket: string): CriCall {
  return (method, request, options) =>
    new Promise((resolve, reject) => {
      const session = connect('http://localhost', { createConnection: () => connectSocket(socket) });
      new Call(session, { resolve, reject }).send(method, request, options);
    });
}

type Settle = {
  readonly resolve: (response: Uint8Array) => void;
  readonly reject: (error: Failure) => void;
};

class Call {
  readonly #session: ClientHttp2Session;
  readonly #settle: Settle;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #status: string | undefined;
  #message = '';
  #timer: NodeJS.Timeout | undefined;
  #forget: () => void = () => undefined;

  constructor(session: ClientHttp2Session, settle: Settle) {
    this.#session = session;
    this.#settle = settle;
  }

  send(
    method: string,
    request: Uint8Array,
    { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
  ): void {
    const session = this.#session;
    const unreachable = (error: Error) =>
      this.#fail('transient', 'Unreachable', `container runtime: ${error.message}`);
    session.on('error', unreachable);
    this.#timer = setTimeout(
      () =>
        this.#fail(
          'transient',
          'Timeout',
          `container runtime: ${method}: no answer within ${limitMs / 1000} s`,
        ),
      limitMs,
    );
    this.#forget = onAbort(signal, () => this.#fail('cancelled', 'Stopped', `${method} was stopped`));
    if (session.destroyed) return;
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: `/runtime.v1.${method}`,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      [constants.HTTP2_HEADER_TE]: 'trailers',
    });
    stream.on('error', unreachable);
    // A call that fails at once has its status in the headers.
    stream.on('response', (headers) => this.#note(headers));
    stream.on('trailers', (headers) => this.#note(headers));
    stream.on('data', (chunk: Buffer) => {
      this.#size += chunk.length;
      if (this.#size > MAX_MESSAGE_BYTES + PREFIX_BYTES) {
        this.#fail('stalled', 'MessageTooLarge', `container runtime: ${method}: the answer is too large`);
      } else this.#chunks.push(chunk);
    });
    stream.on('end', () => this.#finish(method));
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32BE(request.length, 1);
    stream.end(Buffer.concat([prefix, request]));
  }

  #note(headers: { readonly [name: string]: unknown }): void {
    const { 'grpc-status': status, 'grpc-message': message } = headers;
    if (typeof status === 'string') this.#status = status;
    if (typeof message === 'string') this.#message = decoded(message);
  }

  #finish(method: string): void {
    if (this.#status !== '0') {
      const why = this.#message === '' ? `code ${this.#status ?? 'unknown'}` : this.#message;
      this.#fail('transient', `Grpc${this.#status ?? ''}`, why.slice(0, MAX_ERROR_CHARACTERS));
      return;
    }
    const body = Buffer.concat(this.#chunks);
    const isWhole = body.length >= PREFIX_BYTES && body.length === PREFIX_BYTES + body.readUInt32BE(1);
    if (!isWhole || body[0] !== 0) {
      this.#fail('transient', 'BadAnswer', `container runtime: ${method}: the answer cannot be read`);
      return;
    }
    this.#end(() => this.#settle.resolve(new Uint8Array(body.subarray(PREFIX_BYTES))));
  }

  #fail(kind: Failure['kind'], reason: string, message: string): void {
    this.#end(() => this.#settle.reject(new Failure(kind, reason, message)));
  }

  /** Later outcomes of the same call are ignored: a promise settles once. */
  #end(settle: () => void): void {
    clearTimeout(this.#timer);
    this.#forget();
    settle();
    // Ends the call in the runtime as well.
    this.#session.destroy();
  }
}

/** gRPC escapes what is not printable ASCII as in URLs. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
