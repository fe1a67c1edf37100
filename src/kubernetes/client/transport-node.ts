/**
 * The transport over a socket, with HTTP/1.1.
 *
 * Connections are reused, each watch has its own, and TCP keep-alive detects dead peers. The timeout of a response ends with
 * its first byte: what follows depends on the request.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import type { Clock, Timer } from '../../base/env.ts';
import { onAbort } from '../../base/waiting.ts';
import type { ServerAccess } from './server-access.ts';
import {
  cancelledFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  transportFailure,
} from './transport.ts';

type NodeTransportOptions = {
  readonly access: ServerAccess;
  readonly clock: Clock;
  readonly limits?: Partial<NodeTransportLimits>;
};

export type NodeTransportLimits = {
  /** Until the connection is established, TLS included. */
  readonly connectMs: number;
  /** From the request to the first byte of the response. */
  readonly responseMs: number;
  /** Idle connections are closed before servers do (90 s and more), which could hit the next request. */
  readonly idleMs: number;
};

const DEFAULT_LIMITS: NodeTransportLimits = { connectMs: 10_000, responseMs: 60_000, idleMs: 60_000 };
/** The TCP keep-alive delay; a dead connection fails some ten seconds later. */
const KEEP_ALIVE_PROBE_MS = 15_000;
const MAX_IDLE_CONNECTIONS = 32;

export interface NodeTransport extends Transport {
  /** Closes all connections. Requests in flight are aborted. */
  close(): void;
}

export function createNodeTransport(options: NodeTransportOptions): NodeTransport {
  return new SocketTransport(options);
}

class SocketTransport implements NodeTransport {
  readonly #access: ServerAccess;
  readonly #clock: Clock;
  readonly #limits: NodeTransportLimits;
  readonly #target: RequestOptions;
  readonly #prefix: string;
  readonly #agent: HttpAgent;
  readonly #request: (options: RequestOptions) => ClientRequest;

  constructor({ access, clock, limits }: NodeTransportOptions) {
    this.#access = access;
    this.#clock = clock;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    const url = new URL(access.url);
    const { hostname, port } = urlToHttpOptions(url);
    this.#target = { ...(hostname === null ? {} : { hostname }), ...(port === undefined ? {} : { port }) };
    this.#prefix = url.pathname.replace(/\/$/, '');
    const kept = { keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS, timeout: this.#limits.idleMs };
    const isPlain = url.protocol === 'http:';
    this.#agent = isPlain ? new HttpAgent(kept) : new HttpsAgent({ ...kept, ...tlsOf(access) });
    this.#request = isPlain ? httpRequest : httpsRequest;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    try {
      const token = await this.#access.token?.();
      if (request.signal?.aborted === true) throw cancelledFailure(request);
      const incoming = await this.#exchange(request, token);
      return {
        status: incoming.statusCode ?? 0,
        headers: headersOf(incoming),
        body: bodyOf(incoming, request),
      };
    } catch (error) {
      throw transportFailure(request, error);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #exchange(request: TransportRequest, token: string | undefined): Promise<IncomingMessage> {
    const first = this.#open(request, token);
    try {
      return await this.#response(first, request);
    } catch (error) {
      // The server closed an idle connection before it read the request. Reads can be repeated.
      if (request.method !== 'GET' || !first.reusedSocket || request.signal?.aborted === true) throw error;
      return await this.#response(this.#open(request, token), request);
    }
  }

  #open({ method, path, query, headers, body }: TransportRequest, token: string | undefined): ClientRequest {
    return this.#request({
      ...this.#target,
      method,
      path: `${this.#prefix}${path}${query === '' ? '' : `?${query}`}`,
      headers: {
        ...headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        // Without a length the body of a DELETE would be sent chunked, which servers ignore.
        ...(body === undefined ? {} : { 'content-length': String(body.length) }),
      },
      agent: this.#agent,
    });
  }

  #response(outgoing: ClientRequest, { signal, body }: TransportRequest): Promise<IncomingMessage> {
    const { connectMs, responseMs } = this.#limits;
    return new Promise((resolve, reject) => {
      const giveUp = (what: string, limitMs: number) =>
        this.#clock.after(limitMs, () => outgoing.destroy(new Error(`${what} within ${limitMs / 1000} s`)));
      const timers: Timer[] = [giveUp('no answer', responseMs)];
      const stop = () => outgoing.destroy(new Error('no longer wanted'));
      const cancelTimers = () => {
        for (const timer of timers) timer.cancel();
      };
      const forget = signal === undefined ? nothing : onAbort(signal, stop);
      outgoing.once('socket', (socket: Socket) => {
        socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
        if (!socket.connecting) return;
        const timer = giveUp('no connection', connectMs);
        timers.push(timer);
        socket.once(this.#agent instanceof HttpsAgent ? 'secureConnect' : 'connect', () => timer.cancel());
      });
      outgoing.once('response', (incoming) => {
        cancelTimers();
        incoming.once('close', forget);
        resolve(incoming);
      });
      outgoing.on('error', (error) => {
        cancelTimers();
        forget();
        reject(error);
      });
      outgoing.end(body);
    });
  }
}

async function* bodyOf(incoming: IncomingMessage, request: TransportRequest): AsyncGenerator<Uint8Array> {
  try {
    // Without an encoding a response yields bytes.
    for await (const chunk of incoming) yield chunk as Uint8Array;
  } catch (error) {
    throw transportFailure(request, error);
  }
}

function headersOf({ headers }: IncomingMessage): TransportResponse['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

function tlsOf({ authorityPem, serverName, isUnverified, certificate }: ServerAccess) {
  return {
    ...(authorityPem === undefined ? {} : { ca: authorityPem }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(isUnverified === true ? { rejectUnauthorized: false } : {}),
    ...(certificate === undefined ? {} : { cert: certificate.certPem, key: certificate.keyPem }),
  };
}

function nothing(): void {}
