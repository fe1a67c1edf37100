/**
 * The transport over sockets, with HTTP/1.1.
 *
 * Connections are reused. Connection errors have the messages of container tools, which
 * people search for.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import {
  cancelledFailure,
  type RegistryTransport,
  type RegistryTransportRequest,
  type RegistryTransportResponse,
  transportFailure,
} from './transport.ts';

type NodeRegistryTransportOptions = {
  readonly clock: Clock;
  /** Additional CAs, by `host[:port]`. */
  readonly authorityPemFor?: (host: string) => string | undefined;
  /** Hosts whose certificates are not verified, for test registries. */
  readonly isUnverified?: (host: string) => boolean;
  readonly limits?: Partial<NodeRegistryTransportLimits>;
};

type NodeRegistryTransportLimits = {
  /** Until the connection is established, including TLS. */
  readonly connectMs: number;
  /** How long the server may neither read nor send anything. */
  readonly stalledMs: number;
  readonly idleMs: number;
};

const DEFAULT_LIMITS: NodeRegistryTransportLimits = { connectMs: 30_000, stalledMs: 120_000, idleMs: 30_000 };
const MAX_IDLE_CONNECTIONS = 8;

export interface NodeRegistryTransport extends RegistryTransport {
  /** Closes all connections. Pending requests fail. */
  close(): void;
}

export function createNodeRegistryTransport(options: NodeRegistryTransportOptions): NodeRegistryTransport {
  return new SocketTransport(options);
}

class SocketTransport implements NodeRegistryTransport {
  readonly #options: NodeRegistryTransportOptions;
  readonly #limits: NodeRegistryTransportLimits;
  readonly #plain: HttpAgent;
  readonly #secure: HttpsAgent;

  constructor(options: NodeRegistryTransportOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    const kept = { keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS, timeout: this.#limits.idleMs };
    this.#plain = new HttpAgent(kept);
    this.#secure = new HttpsAgent(kept);
  }

  async send(request: RegistryTransportRequest): Promise<RegistryTransportResponse> {
    if (request.signal?.aborted === true) throw cancelledFailure(request);
    try {
      const incoming = await this.#exchange(request);
      return {
        status: incoming.statusCode ?? 0,
        headers: headersOf(incoming),
        body: bodyOf(incoming, request),
      };
    } catch (error) {
      throw error instanceof Failure ? error : transportFailure(request, wordsOf(error), error);
    }
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  async #exchange(request: RegistryTransportRequest): Promise<IncomingMessage> {
    const first = this.#open(request);
    try {
      return await this.#response(first, request);
    } catch (error) {
      // The server closed a reused connection before it got the request. Reads can be repeated.
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (!isRead || !first.reusedSocket || request.signal?.aborted === true) throw error;
      return await this.#response(this.#open(request), request);
    }
  }

  #open({ method, url, headers, body }: RegistryTransportRequest): ClientRequest {
    const target = new URL(url);
    const length = body instanceof Uint8Array ? { 'content-length': String(body.length) } : {};
    const options = { method, headers: { ...headers, ...length } };
    if (target.protocol === 'http:') return httpRequest(target, { ...options, agent: this.#plain });
    const ca = this.#options.authorityPemFor?.(target.host);
    const rejectUnauthorized = this.#options.isUnverified?.(target.host) !== true;
    const trust = { rejectUnauthorized, ...(ca === undefined ? {} : { ca }) };
    return httpsRequest(target, { ...options, agent: this.#secure, ...trust });
  }

  #response(outgoing: ClientRequest, { signal, body }: RegistryTransportRequest): Promise<IncomingMessage> {
    const { connectMs, stalledMs } = this.#limits;
    return new Promise((resolve, reject) => {
      const stop = () => outgoing.destroy(new Error('no longer wanted'));
      const connecting = this.#options.clock.after(connectMs, () => {
        outgoing.destroy(new Error(`dial tcp: i/o timeout after ${connectMs / 1000} s`));
      });
      signal?.addEventListener('abort', stop, { once: true });
      const forget = () => {
        connecting.cancel();
        signal?.removeEventListener('abort', stop);
      };
      outgoing.once('socket', (socket) => {
        // A reused socket is connected already, and serves many requests: it must not accumulate listeners.
        if (!socket.connecting) return connecting.cancel();
        socket.once(outgoing.protocol === 'https:' ? 'secureConnect' : 'connect', () => connecting.cancel());
      });
      outgoing.setTimeout(stalledMs, () => {
        outgoing.destroy(new Error(`nothing came or went for ${stalledMs / 1000} s`));
      });
      outgoing.once('response', (incoming) => {
        connecting.cancel();
        incoming.once('close', forget);
        resolve(incoming);
      });
      outgoing.on('error', (error) => {
        forget();
        reject(error);
      });
      if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
      // A server may respond and close before it has read the body: the response counts.
      else pipeline(Readable.from(body, { objectMode: false }), outgoing).catch(reject);
    });
  }
}

async function* bodyOf(
  incoming: IncomingMessage,
  request: RegistryTransportRequest,
): AsyncGenerator<Uint8Array> {
  try {
    // Without an encoding a response yields buffers.
    for await (const chunk of incoming) yield chunk as Uint8Array;
  } catch (error) {
    throw transportFailure(request, wordsOf(error), error);
  }
}

function headersOf({ headers }: IncomingMessage): RegistryTransportResponse['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, address, port, hostname } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
    readonly hostname?: string;
  };
  if (error instanceof AggregateError && error.errors.length > 0) return wordsOf(error.errors[0]);
  if (code === 'ECONNREFUSED') return `dial tcp ${address}:${port}: connect: connection refused`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname}: no such host`;
  if (code !== undefined && UNTRUSTED.has(code)) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO') {
    return 'http: server gave HTTP response to HTTPS client';
  }
  return error.message;
}
