/**
 * The API server on a TLS socket: requests become plain objects, answers become bytes, and nothing that a client does
 * to its connection harms the server.
 *
 * HTTP/1.1 alone. Clients that prefer HTTP/2 agree on it when they connect, and open one more connection for each watch.
 * That is all they lose, while HTTP/2 brings limits of its own to guard (streams, resets, header tables).
 *
 *     connection ──> TLS, client certificate ──> request ──> handle ──> answer: whole, or a stream until one side ends
 */
import { constants } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import {
  type AddressInfo,
  createServer as createPlainServer,
  type Server as PlainServer,
  type Socket,
} from 'node:net';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { gzip, type ZlibOptions } from 'node:zlib';
import type { Env } from '../../../base/env.ts';
import { Failure } from '../../../base/errors.ts';
import type { PemPair } from '../../../certificates/index.ts';
import { errnoOf, osErrorMessage } from '../os-error.ts';
import { clientProof, type PeerCertificate } from '../pki/client-certificate.ts';
import type { PendingRequest, Request, Response } from './http.ts';
import { DEFAULT_LIMITS, type HttpLimits } from './http-limits.ts';
import { IdleConnections } from './idle-connections.ts';
import { declaredBytes, discardBody, headersOf, mayContinue, pathOf, queryOf, readBody } from './incoming.ts';
import { Completion, OpenExchanges } from './open-exchanges.ts';
import { acceptsGzip, MIN_GZIP_BYTES, mayCompress, outgoingHeaders } from './outgoing-headers.ts';
import { isBadMethod, requestHeadProblem } from './request-head.ts';
import {
  badMethodResponse,
  failed,
  garbageResponse,
  lineOf,
  PLAIN_HEADERS,
  PLAIN_HTTP_RESPONSE,
} from './transport-responses.ts';
import { headOf, withBody } from './with-seat.ts';
import { writeBody } from './write-body.ts';

type HttpsServerOptions = ServerOptions & (Receiving | Handling);
/** The server decides when bodies are read, and so how many at a time. */
type Receiving = { readonly receive: (pending: PendingRequest) => Promise<Response> };
/** The server gets complete requests, without a limit. */
type Handling = { readonly handle: (request: Request) => Promise<Response> };

type ServerOptions = {
  readonly env: Pick<Env, 'clock' | 'log'>;
  readonly certificate: PemPair;
  /** The CA of client certificates. */
  readonly authorityPem: string;
  /** A reserved port, or a port number on the loopback interface: 0 for any free one. */
  readonly port: number | ReservedPort;
  readonly limits?: Partial<HttpLimits>;
};

/** The default of Go, so that selectors may be as long as with kube-apiserver. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** Larger bodies are sent in chunks of this size, so that others are not blocked. */
const CHUNK_BYTES = 256 * 1024;
const LAST_PIECE_BYTES = 4 * 1024;
const KEEP_ALIVE_PROBE_MS = 30_000;

/** A port that is reserved before the server starts, so that a conflict is found before anything is created. */
export type ReservedPort = {
  readonly port: number;
  /** A server can listen with it, and then has to close it. */
  readonly handle: PlainServer;
  /** No effect once a server listens with it. */
  readonly release: () => Promise<void>;
};

type PortRequest = {
  /** Defaults to the loopback address. */
  readonly host?: string;
  /** 0 for any free port. */
  readonly port: number;
};

/** Throws a `Failure` (`PortTaken`, `PortUnusable`). Connections are rejected until a server listens. */
export async function reservePort({ host = '127.0.0.1', port }: PortRequest): Promise<ReservedPort> {
  const handle = createPlainServer((socket) => socket.destroy());
  try {
    const opened = once(handle, 'listening');
    handle.listen({ host, port });
    await opened;
  } catch (error) {
    if (errnoOf(error) === 'EADDRINUSE') {
      throw new Failure('stalled', 'PortTaken', `port ${port} is taken`, error);
    }
    const message = `port ${port} of ${host} cannot be opened: ${osErrorMessage(error)}`;
    throw new Failure('stalled', 'PortUnusable', message, error);
  }
  return {
    // A server that listens on a port has an address with a port.
    port: (handle.address() as AddressInfo).port,
    handle,
    release: () => new Promise((resolve) => handle.close(() => resolve())),
  };
}

/** Resolves once the port is open. Throws a `Failure` (`PortTaken`, `PortUnusable`). */
export async function startHttpsServer(options: HttpsServerOptions): Promise<HttpsServer> {
  const { port } = options;
  const held = typeof port === 'number' ? await reservePort({ port }) : port;
  const server = new SocketServer(options, held.port);
  await server.open(held);
  return server;
}

export interface HttpsServer {
  readonly port: number;
  /** Closes the listener, ends watches, and gives other requests a grace period. */
  stop(): Promise<void>;
}

class SocketServer implements HttpsServer {
  readonly port: number;
  readonly #options: HttpsServerOptions;
  readonly #limits: HttpLimits;
  readonly #server: Server;
  /** Including those before the TLS handshake. */
  readonly #sockets = new Set<Socket>();
  /** The client certificate of each connection. */
  readonly #peers = new WeakMap<Socket, Peer>();
  /** The open exchanges of each connection. */
  readonly #exchanges = new WeakMap<Socket, OpenExchanges>();
  readonly #idle = new IdleConnections();
  /** Callbacks that end unbounded responses. */
  readonly #endStreams = new Set<() => void>();
  /** Aborted when the server stops. */
  readonly #stopping = new AbortController();
  #stopped: Promise<void> | undefined;

  constructor(options: HttpsServerOptions, port: number) {
    this.port = port;
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { certificate, authorityPem } = options;
    this.#server = createServer({
      cert: certificate.certPem,
      key: certificate.keyPem,
      ca: authorityPem,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      // The identity of a connection does not change.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: this.#limits.handshakeMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      connectionsCheckingInterval: this.#limits.headersMs / 10,
      headersTimeout: this.#limits.headersMs,
      requestTimeout: this.#limits.requestMs,
      keepAliveTimeout: this.#limits.idleMs,
      noDelay: true,
      requireHostHeader: false,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    });
    this.#server.on('connection', (socket: Socket) => this.#welcome(socket));
    this.#server.on('secureConnection', (socket: TLSSocket) => {
      socket.on('error', ignore);
      this.#peers.set(socket, readPeer(socket));
      const exchanges = new OpenExchanges();
      this.#exchanges.set(socket, exchanges);
      this.#idle.add(socket);
      socket.once('close', () => exchanges.endAll());
    });
    this.#server.on('clientError', (error, socket: Socket) => this.#toError(error, socket));
    this.#server.on('connect', (_, socket: Socket) => endWith(socket, badMethodResponse()));
    this.#server.on('checkExpectation', (_, outgoing) => {
      outgoing.writeHead(417, { 'content-length': 0, connection: 'close' }).end();
    });
    this.#server.on('request', (incoming, outgoing) => this.#serve(incoming, outgoing));
    this.#server.on('checkContinue', (incoming, outgoing) => {
      if (mayContinue(incoming) && requestHeadProblem(incoming) === undefined) outgoing.writeContinue();
      this.#serve(incoming, outgoing);
    });
  }

  async open({ handle }: ReservedPort): Promise<void> {
    const { env } = this.#options;
    const opened = once(this.#server, 'listening');
    this.#server.listen(handle);
    await opened;
    this.#server.on('error', (error) => env.log.error('HTTPS server error', { error: String(error) }));
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const endStream of this.#endStreams) endStream();
    this.#server.closeIdleConnections();
    const timer = this.#options.env.clock.after(this.#limits.graceMs, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await closed;
    timer.cancel();
  }

  #welcome(socket: Socket): void {
    if (this.#sockets.size >= this.#limits.connections && !this.#idle.dropOldest()) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    this.#idle.add(socket);
    // Errors are followed by `close`, which is handled.
    socket.on('error', ignore);
    // Its address is not known any more by then.
    const { remoteAddress, remotePort } = socket;
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#idle.delete({ remoteAddress, remotePort, destroy: ignore });
    });
  }

  /** Answers garbage and slow requests; before the TLS handshake, in plain text. */
  #toError(error: ClientError, socket: Socket): void {
    const { code = '', rawPacket } = error;
    if (code === 'ERR_SSL_HTTP_REQUEST') {
      const { remoteAddress, remotePort } = socket;
      const isSame = (one: Socket) => one.remotePort === remotePort && one.remoteAddress === remoteAddress;
      const wire = [...this.#sockets].find(isSame);
      if (wire !== undefined) endWith(wire, PLAIN_HTTP_RESPONSE);
      return;
    }
    const isHttp = /^(HPE|ERR_HTTP)_/.test(code);
    const isOdd = code === 'HPE_INVALID_METHOD' && rawPacket !== undefined && isBadMethod(rawPacket);
    // With several open exchanges the response could not be attributed.
    const isAnswered = isHttp && socket.writable && (this.#exchanges.get(socket)?.size ?? 0) <= 1;
    if (isAnswered) endWith(socket, isOdd ? badMethodResponse() : garbageResponse(code));
    else socket.destroy();
  }

  #serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    incoming.on('error', ignore);
    outgoing.on('error', ignore);
    const problem = requestHeadProblem(incoming);
    if (problem !== undefined) {
      // Responses to earlier requests may still be pending.
      const { code, reason } = lineOf(problem);
      const headers = { ...PLAIN_HEADERS, 'Content-Length': problem.length };
      outgoing.writeHead(code, reason, headers).end(problem);
      return;
    }
    const gone = new AbortController();
    const exchange = { incoming, outgoing, gone, completion: new Completion() };
    exchange.completion.when(() => {
      if (!outgoing.writableFinished) gone.abort();
    });
    const exchanges = this.#exchanges.get(incoming.socket);
    exchanges?.add(exchange.completion);
    this.#idle.delete(incoming.socket);
    exchange.completion.when(() => {
      if (exchanges?.size === 0 && !incoming.socket.destroyed) this.#idle.add(incoming.socket);
    });
    outgoing.once('close', () => exchange.completion.end());
    // A stopping server does not need kept-alive connections.
    outgoing.once('finish', () => this.#stopping.signal.aborted && incoming.socket.destroySoon());
    this.#answer(exchange).catch((error: unknown) => {
      this.#options.env.log.error('sending a response failed', {
        method: incoming.method,
        path: pathOf(incoming),
        error: traceOf(error),
      });
      gone.abort();
      outgoing.destroy();
    });
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { incoming, outgoing, gone } = exchange;
    const pending = this.#arrivingOf(exchange);
    const response = await this.#ask(pending);
    // A client that is still writing does not read the response.
    if (!pending.isAsked()) await discardBody(incoming);
    if (response.body instanceof Uint8Array) {
      await this.#sendWhole(exchange, pending, { ...response, body: response.body });
      return;
    }
    outgoing.writeHead(response.status, [...outgoingHeaders(response.headers, this.#connection(incoming))]);
    // The client waits for the headers of a watch, whose first event may come much later.
    outgoing.flushHeaders();
    const endStream = () => gone.abort();
    this.#endStreams.add(endStream);
    try {
      if (this.#stopping.signal.aborted) endStream();
      await this.#pump(response.body, exchange);
    } finally {
      this.#endStreams.delete(endStream);
    }
  }

  async #ask(pending: PendingRequest): Promise<Response> {
    const options = this.#options;
    try {
      if ('receive' in options) return await options.receive(pending);
      return await withBody(pending, options.handle);
    } catch (error) {
      if (pending.signal?.aborted !== true) {
        const { method, path } = pending;
        options.env.log.error('request failed', { method, path, error: traceOf(error) });
      }
      return failed(headOf(pending));
    }
  }

  async #sendWhole(
    exchange: Exchange,
    { headers: asked }: PendingRequest,
    response: WholeResponse,
  ): Promise<void> {
    const { status, headers, body } = response;
    const isCompressed =
      body.length > MIN_GZIP_BYTES && mayCompress(response) && acceptsGzip(asked['accept-encoding']);
    const sent = isCompressed ? await compressed(body, { level: 1 }) : body;
    const length: Response['headers'] =
      status === 204 || status === 304 ? [] : [['content-length', String(sent.length)]];
    const more = [
      ...(isCompressed ? COMPRESSED_HEADERS : []),
      ...length,
      ...this.#connection(exchange.incoming),
    ];
    exchange.outgoing.writeHead(status, [...outgoingHeaders(headers, more)]);
    if (sent.length > CHUNK_BYTES) await this.#pump(piecesOf(sent), exchange);
    else this.#end(exchange, sent);
  }

  async #pump(body: AsyncIterable<Uint8Array>, { outgoing, gone }: Exchange): Promise<void> {
    const { clock } = this.#options.env;
    const { stalledMs } = this.#limits;
    const sink = {
      write: (chunk: Uint8Array) => outgoing.write(chunk),
      onRoom: (call: () => void) => outgoing.on('drain', call),
    };
    const end = await writeBody(body, sink, { clock, halt: gone.signal, stalledMs });
    if (end === 'stalled') outgoing.destroy();
    else this.#end({ outgoing });
  }

  /** Sends the rest, with the usual timeout. */
  #end({ outgoing }: Pick<Exchange, 'outgoing'>, rest: Uint8Array = new Uint8Array()): void {
    if (outgoing.destroyed) return;
    const timer = this.#options.env.clock.after(this.#limits.stalledMs, () => outgoing.destroy());
    outgoing.once('close', () => timer.cancel());
    outgoing.end(rest);
  }

  #arrivingOf({
    incoming,
    gone,
    completion,
  }: Exchange): PendingRequest & { readonly isAsked: () => boolean } {
    let isAsked = false;
    return {
      method: incoming.method ?? 'GET',
      path: pathOf(incoming),
      query: queryOf(incoming),
      headers: headersOf(incoming),
      signal: gone.signal,
      ...this.#proofOf(incoming.socket),
      bodyBytes: declaredBytes(incoming),
      readBody: () => {
        isAsked = true;
        return readBody(incoming);
      },
      onComplete: (call) => completion.when(call),
      isAsked: () => isAsked,
    };
  }

  #proofOf(socket: Socket): Pick<Request, 'certificateUser' | 'hasBadCertificate'> {
    const peer = this.#peers.get(socket);
    if (peer === undefined) return {};
    // Checked for each request: a certificate may expire during a connection.
    const isTrusted = peer.isAuthorized && this.#options.env.clock.now() <= peer.expiresAtMs;
    const proof = clientProof(peer.certificate, isTrusted);
    if (proof.kind === 'user') return { certificateUser: proof.user };
    return proof.kind === 'bad' ? { hasBadCertificate: true } : {};
  }

  /** A connection cannot be reused if its request was not read to the end, or if the server stops. */
  #connection({ complete }: IncomingMessage): Response['headers'] {
    return this.#stopping.signal.aborted || !complete ? [['connection', 'close']] : [];
  }
}

type Exchange = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Aborted when the client disconnects or the response is ended. */
  readonly gone: AbortController;
  readonly completion: Completion;
};
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array };
type WholeResponse = Response & { readonly body: Uint8Array };
type Peer = {
  readonly certificate: PeerCertificate;
  readonly isAuthorized: boolean;
  readonly expiresAtMs: number;
};

function readPeer(socket: TLSSocket): Peer {
  const certificate = socket.getPeerCertificate() ?? {};
  const expiresAtMs = Date.parse(certificate.valid_to);
  return { certificate, isAuthorized: socket.authorized, expiresAtMs };
}

const compressed = promisify<Uint8Array, ZlibOptions, Uint8Array>(gzip);
const COMPRESSED_HEADERS: Response['headers'] = [
  ['content-encoding', 'gzip'],
  ['vary', 'Accept-Encoding'],
];

/**
 * The last chunk is small. While a write waits for the socket, Node pauses reading, and TLS delivers the next request
 * nevertheless, which Node then takes for garbage; so a client that has the whole response must not be waited for.
 */
async function* piecesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  const lastAt = Math.max(0, body.length - LAST_PIECE_BYTES);
  for (let at = 0; at < lastAt; at += CHUNK_BYTES)
    yield body.subarray(at, Math.min(at + CHUNK_BYTES, lastAt));
  if (body.length > 0) yield body.subarray(lastAt);
}

function endWith(socket: Socket, text: string): void {
  socket.end(text, () => socket.destroy());
}

function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function ignore(): void {}
