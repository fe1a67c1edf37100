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
import { codeOf, plainWords } from '../os-error.ts';
import { clientProof, type PeerCertificate } from '../pki/client-certificate.ts';
import type { PemPair } from '../pki/pki.ts';
import type { Arriving, Request, Response } from './http.ts';
import { DEFAULT_LIMITS, type HttpLimits } from './http-limits.ts';
import { IdleConnections } from './idle-connections.ts';
import { declaredBytes, discardBody, headersOf, mayGoOn, pathOf, queryOf, readBody } from './incoming.ts';
import { Exchanges, Over } from './open-exchanges.ts';
import { acceptsGzip, MIN_GZIP_BYTES, mayCompress, outgoingHeaders } from './outgoing-headers.ts';
import { headComplaint, isOddMethod } from './request-line.ts';
import {
  failed,
  garbageAnswer,
  lineOf,
  oddMethodAnswer,
  PLAIN_HEADERS,
  PLAIN_HTTP_ANSWER,
} from './transport-responses.ts';
import { headOf, withBody } from './with-seat.ts';
import { pumpBody } from './write-body.ts';

type HttpsServerOptions = ServerOptions & (Receiving | Handling);
/** Who answers says when a body is read, and so how many are under way at once. */
type Receiving = { readonly receive: (arriving: Arriving) => Promise<Response> };
/** Who answers gets whole requests, however many there are. */
type Handling = { readonly handle: (request: Request) => Promise<Response> };

type ServerOptions = {
  readonly env: Pick<Env, 'clock' | 'log'>;
  readonly certificate: PemPair;
  /** Whose clients are believed. */
  readonly authorityPem: string;
  /** One that is held already, or the number of one on the loopback: 0 for any that is free. */
  readonly port: number | HeldPort;
  readonly limits?: Partial<HttpLimits>;
};

/** Go's, so that the longest selector that the real server takes is taken here. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** Larger bodies are sent in pieces of this size, so that others get their turn. */
const PIECE_BYTES = 256 * 1024;
const LAST_PIECE_BYTES = 4 * 1024;
const KEEP_ALIVE_PROBE_MS = 30_000;

/** A port that is held before anyone is served on it, so that a taken one is found out while nothing has been made. */
export type HeldPort = {
  readonly port: number;
  /** What a server can listen with instead, which then is the one to close it. */
  readonly handle: PlainServer;
  /** Does nothing once a server listens with it. */
  readonly release: () => Promise<void>;
};

type PortWish = {
  /** The loopback unless said otherwise. */
  readonly host?: string;
  /** 0 for any that is free. */
  readonly port: number;
};

/** Throws a `Failure` when it cannot be had (`PortTaken`, `PortUnusable`). Whoever connects meanwhile is turned away. */
export async function holdPort({ host = '127.0.0.1', port }: PortWish): Promise<HeldPort> {
  const handle = createPlainServer((socket) => socket.destroy());
  try {
    const opened = once(handle, 'listening');
    handle.listen({ host, port });
    await opened;
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') {
      throw new Failure('stalled', 'PortTaken', `port ${port} is taken`, error);
    }
    const message = `port ${port} of ${host} cannot be opened: ${plainWords(error)}`;
    throw new Failure('stalled', 'PortUnusable', message, error);
  }
  return {
    // A server that listens on a port has an address with a port.
    port: (handle.address() as AddressInfo).port,
    handle,
    release: () => new Promise((resolve) => handle.close(() => resolve())),
  };
}

/** Resolves once the port is open. Throws a `Failure` when it cannot be (`PortTaken`, `PortUnusable`). */
export async function startHttpsServer(options: HttpsServerOptions): Promise<HttpsServer> {
  const { port } = options;
  const held = typeof port === 'number' ? await holdPort({ port }) : port;
  const server = new SocketServer(options, held.port);
  await server.open(held);
  return server;
}

export interface HttpsServer {
  readonly port: number;
  /** Nobody is let in any more, watches end now, and what is under way has a little time. */
  stop(): Promise<void>;
}

class SocketServer implements HttpsServer {
  readonly port: number;
  readonly #options: HttpsServerOptions;
  readonly #limits: HttpLimits;
  readonly #server: Server;
  /** All of them, also those that have not come as far as TLS. */
  readonly #sockets = new Set<Socket>();
  /** Certificates that were shown: each connection has one, and it stays. */
  readonly #peers = new WeakMap<Socket, Peer>();
  /** What is under way on each connection. */
  readonly #exchanges = new WeakMap<Socket, Exchanges>();
  readonly #idle = new IdleConnections();
  /** Called to end what would otherwise go on for as long as the client likes. */
  readonly #endStreams = new Set<() => void>();
  /** Aborted when the server is to stop. */
  readonly #stopping = new AbortController();
  #stopped: Promise<void> | undefined;

  constructor(options: HttpsServerOptions, port: number) {
    this.port = port;
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { certificate, authorityPem } = options;
    this.#server = createServer({
      ...{ cert: certificate.certPem, key: certificate.keyPem, ca: authorityPem },
      ...{ requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' },
      // Nobody becomes somebody else in the middle of a connection.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      ...{ ALPNProtocols: ['http/1.1'], handshakeTimeout: this.#limits.handshakeMs },
      ...{ maxHeaderSize: MAX_HEADER_BYTES, connectionsCheckingInterval: this.#limits.headersMs / 10 },
      ...{ headersTimeout: this.#limits.headersMs, requestTimeout: this.#limits.requestMs },
      ...{ keepAliveTimeout: this.#limits.idleMs, noDelay: true, requireHostHeader: false },
      ...{ keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS },
    });
    this.#server.on('connection', (socket: Socket) => this.#welcome(socket));
    this.#server.on('secureConnection', (socket: TLSSocket) => {
      socket.on('error', ignore);
      this.#peers.set(socket, readPeer(socket));
      const exchanges = new Exchanges();
      this.#exchanges.set(socket, exchanges);
      this.#idle.add(socket);
      socket.once('close', () => exchanges.endAll());
    });
    this.#server.on('clientError', (error, socket: Socket) => this.#refuse(error, socket));
    this.#server.on('connect', (_, socket: Socket) => endWith(socket, oddMethodAnswer()));
    this.#server.on('checkExpectation', (_, outgoing) => {
      outgoing.writeHead(417, { 'content-length': 0, connection: 'close' }).end();
    });
    this.#server.on('request', (incoming, outgoing) => this.#serve(incoming, outgoing));
    this.#server.on('checkContinue', (incoming, outgoing) => {
      if (mayGoOn(incoming) && headComplaint(incoming) === undefined) outgoing.writeContinue();
      this.#serve(incoming, outgoing);
    });
  }

  async open({ handle }: HeldPort): Promise<void> {
    const { env } = this.#options;
    const opened = once(this.#server, 'listening');
    this.#server.listen(handle);
    await opened;
    this.#server.on('error', (error) => env.log.error('the server has trouble', { error: String(error) }));
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
    // Errors are followed by a close, which is what counts.
    socket.on('error', ignore);
    // Its name is not known any more by then.
    const { remoteAddress, remotePort } = socket;
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#idle.delete({ remoteAddress, remotePort, destroy: ignore });
    });
  }

  /** What is no HTTP, or comes too slowly, is told so. Who has not come as far as HTTP would not hear it but in plain. */
  #refuse(error: ClientError, socket: Socket): void {
    const { code = '', rawPacket } = error;
    if (code === 'ERR_SSL_HTTP_REQUEST') {
      const { remoteAddress, remotePort } = socket;
      const isSame = (one: Socket) => one.remotePort === remotePort && one.remoteAddress === remoteAddress;
      const wire = [...this.#sockets].find(isSame);
      if (wire !== undefined) endWith(wire, PLAIN_HTTP_ANSWER);
      return;
    }
    const isHttp = /^(HPE|ERR_HTTP)_/.test(code);
    const isOdd = code === 'HPE_INVALID_METHOD' && rawPacket !== undefined && isOddMethod(rawPacket);
    // With more than one under way nobody could tell whose answer it is.
    const isTold = isHttp && socket.writable && (this.#exchanges.get(socket)?.size ?? 0) <= 1;
    if (isTold) endWith(socket, isOdd ? oddMethodAnswer() : garbageAnswer(code));
    else socket.destroy();
  }

  #serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    incoming.on('error', ignore);
    outgoing.on('error', ignore);
    const complaint = headComplaint(incoming);
    if (complaint !== undefined) {
      // Not past the answers to earlier requests, which may still be under way.
      const { code, reason } = lineOf(complaint);
      const headers = { ...PLAIN_HEADERS, 'Content-Length': complaint.length };
      outgoing.writeHead(code, reason, headers).end(complaint);
      return;
    }
    const gone = new AbortController();
    const exchange = { incoming, outgoing, gone, over: new Over() };
    exchange.over.when(() => {
      if (!outgoing.writableFinished) gone.abort();
    });
    const exchanges = this.#exchanges.get(incoming.socket);
    exchanges?.add(exchange.over);
    this.#idle.delete(incoming.socket);
    exchange.over.when(() => {
      if (exchanges?.size === 0 && !incoming.socket.destroyed) this.#idle.add(incoming.socket);
    });
    outgoing.once('close', () => exchange.over.end());
    // One that was kept alive is no more of use to a server that stops.
    outgoing.once('finish', () => this.#stopping.signal.aborted && incoming.socket.destroySoon());
    this.#answer(exchange).catch((error: unknown) => {
      this.#options.env.log.error('an answer could not be sent', {
        ...{ method: incoming.method, path: pathOf(incoming), error: traceOf(error) },
      });
      gone.abort();
      outgoing.destroy();
    });
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { incoming, outgoing, gone } = exchange;
    const arriving = this.#arrivingOf(exchange);
    const response = await this.#ask(arriving);
    // A client that is still writing hears no answer.
    if (!arriving.isAsked()) await discardBody(incoming);
    if (response.body instanceof Uint8Array) {
      await this.#sendWhole(exchange, arriving, { ...response, body: response.body });
      return;
    }
    outgoing.writeHead(response.status, [...outgoingHeaders(response.headers, this.#connection(incoming))]);
    // The other side wants to know that its watch has begun, and the first event may be long in coming.
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

  async #ask(arriving: Arriving): Promise<Response> {
    const options = this.#options;
    try {
      if ('receive' in options) return await options.receive(arriving);
      return await withBody(arriving, options.handle);
    } catch (error) {
      if (arriving.signal?.aborted !== true) {
        const { method, path } = arriving;
        options.env.log.error('a request failed', { method, path, error: traceOf(error) });
      }
      return failed(headOf(arriving));
    }
  }

  async #sendWhole(exchange: Exchange, { headers: asked }: Arriving, response: WholeResponse): Promise<void> {
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
    if (sent.length > PIECE_BYTES) await this.#pump(piecesOf(sent), exchange);
    else this.#end(exchange, sent);
  }

  async #pump(body: AsyncIterable<Uint8Array>, { outgoing, gone }: Exchange): Promise<void> {
    const { clock } = this.#options.env;
    const { stalledMs } = this.#limits;
    const sink = {
      write: (chunk: Uint8Array) => outgoing.write(chunk),
      onRoom: (call: () => void) => outgoing.on('drain', call),
    };
    const end = await pumpBody(body, sink, { clock, halt: gone.signal, stalledMs });
    if (end === 'stalled') outgoing.destroy();
    else this.#end({ outgoing });
  }

  /** Sends what is left, and waits for it no longer than for anything else. */
  #end({ outgoing }: Pick<Exchange, 'outgoing'>, rest: Uint8Array = new Uint8Array()): void {
    if (outgoing.destroyed) return;
    const timer = this.#options.env.clock.after(this.#limits.stalledMs, () => outgoing.destroy());
    outgoing.once('close', () => timer.cancel());
    outgoing.end(rest);
  }

  #arrivingOf({ incoming, gone, over }: Exchange): Arriving & { readonly isAsked: () => boolean } {
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
      whenOver: (call) => over.when(call),
      isAsked: () => isAsked,
    };
  }

  #proofOf(socket: Socket): Pick<Request, 'certificateUser' | 'hasBadCertificate'> {
    const peer = this.#peers.get(socket);
    if (peer === undefined) return {};
    // Asked anew for each request: a certificate may end while its connection lasts.
    const isTrusted = peer.isAuthorized && this.#options.env.clock.now() <= peer.expiresAtMs;
    const proof = clientProof(peer.certificate, isTrusted);
    if (proof.kind === 'user') return { certificateUser: proof.user };
    return proof.kind === 'bad' ? { hasBadCertificate: true } : {};
  }

  /** A connection whose request was not read to its end cannot be used again, nor any once the server stops. */
  #connection({ complete }: IncomingMessage): Response['headers'] {
    return this.#stopping.signal.aborted || !complete ? [['connection', 'close']] : [];
  }
}

type Exchange = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Aborted when the client has gone, or gets no more. */
  readonly gone: AbortController;
  readonly over: Over;
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
 * The last piece is small. While a write waits for the socket, Node pauses what it reads from there, and TLS hands it the
 * next request all the same, which it then takes for garbage; a client that has the whole answer must not be waited for.
 */
async function* piecesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  const lastAt = Math.max(0, body.length - LAST_PIECE_BYTES);
  for (let at = 0; at < lastAt; at += PIECE_BYTES)
    yield body.subarray(at, Math.min(at + PIECE_BYTES, lastAt));
  if (body.length > 0) yield body.subarray(lastAt);
}

function endWith(socket: Socket, text: string): void {
  socket.end(text, () => socket.destroy());
}

function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function ignore(): void {}
