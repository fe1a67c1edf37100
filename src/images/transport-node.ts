/**
 * The transport over sockets, with HTTP/1.1.
 *
 * Connections are reused. Connection errors have the messages of container tools, which
 * people search for.
 */
import { X509Certificate } from 'node:crypto';
import {
  type AgentOptions,
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createSecureContext, rootCertificates } from 'node:tls';
import type { Clock } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import {
  cancelledFailure,
  NOT_TLS,
  type RegistryTransport,
  type RegistryTransportRequest,
  type RegistryTransportResponse,
  transportFailure,
} from './transport.ts';

type NodeRegistryTransportOptions = {
  readonly clock: Clock;
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
const MAX_TRUSTING_AGENTS = 64;

interface NodeRegistryTransport extends RegistryTransport {
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
  /** By the CAs that are trusted in addition; the oldest first. */
  readonly #trusting = new Map<string, HttpsAgent>();
  readonly #kept: AgentOptions;

  constructor(options: NodeRegistryTransportOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#kept = { keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS, timeout: this.#limits.idleMs };
    this.#plain = new HttpAgent(this.#kept);
    this.#secure = new HttpsAgent(this.#kept);
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
      throw error instanceof Failure ? error : failureOf(request, error);
    }
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
    for (const agent of this.#trusting.values()) agent.destroy();
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

  #open({ method, url, headers, body, authorityPem }: RegistryTransportRequest): ClientRequest {
    const target = new URL(url);
    const length = body instanceof Uint8Array ? { 'content-length': String(body.length) } : {};
    const options = { method, headers: { ...headers, ...length } };
    if (target.protocol === 'http:') return httpRequest(target, { ...options, agent: this.#plain });
    const rejectUnauthorized = this.#options.isUnverified?.(target.host) !== true;
    return httpsRequest(target, { ...options, agent: this.#secureAgent(authorityPem), rejectUnauthorized });
  }

  /** Connections are shared only among requests with the same trust: one of a CA that is gone must not be reused. */
  #secureAgent(authorityPem: string | undefined): HttpsAgent {
    if (authorityPem === undefined) return this.#secure;
    const known = this.#trusting.get(authorityPem);
    if (known !== undefined) return known;
    const [oldest] = this.#trusting;
    // Its requests in progress go on; its connections are closed once they are idle.
    if (this.#trusting.size >= MAX_TRUSTING_AGENTS && oldest !== undefined) this.#trusting.delete(oldest[0]);
    const secureContext = createSecureContext({ ca: [...rootCertificates, ...certificatesIn(authorityPem)] });
    const agent = new HttpsAgent({ ...this.#kept, secureContext });
    this.#trusting.set(authorityPem, agent);
    return agent;
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
    throw failureOf(request, error);
  }
}

function headersOf({ headers }: IncomingMessage): RegistryTransportResponse['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** What is no certificate is ignored, as container tools do. */
function certificatesIn(pem: string): readonly string[] {
  return (pem.match(PEM) ?? []).filter((block) => {
    try {
      return new X509Certificate(block).raw.length > 0;
    } catch {
      return false;
    }
  });
}

function failureOf(request: RegistryTransportRequest, error: unknown): Failure {
  const { code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const isTls = code === undefined || !PLAIN_SERVER.has(code);
  return transportFailure(request, {
    why: wordsOf(error),
    reason: isTls ? 'Unreachable' : NOT_TLS,
    cause: error,
  });
}

/** The errors of a TLS handshake with a server that answers in plain HTTP. */
const PLAIN_SERVER = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO']);

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
  if (code !== undefined && PLAIN_SERVER.has(code)) {
    return 'http: server gave HTTP response to HTTPS client';
  }
  return error.message;
}
