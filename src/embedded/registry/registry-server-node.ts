/**
 * Serves a registry on a socket: plain HTTP on the loopback interface, or TLS with a certificate.
 */
import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Env } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { refused } from './registry-answers.ts';
import type { RegistryHandler, RegistryRequest, RegistryResponse } from './registry-http.ts';

export type RegistryServerOptions = {
  readonly handle: RegistryHandler;
  readonly env: Pick<Env, 'clock' | 'log'>;
  /** Default: the loopback interface. */
  readonly host?: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Default: plain HTTP. */
  readonly certificate?: { readonly certPem: string; readonly keyPem: string };
};

export interface RegistryServer {
  readonly port: number;
  /** Stops accepting connections, and gives requests in progress a short time. */
  stop(): Promise<void>;
}

const MAX_CONNECTIONS = 1_000;
const HEADERS_MS = 30_000;
/** Idle timeout of connections. */
const STALLED_MS = 120_000;
const GRACE_MS = 5_000;
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

/** Resolves once it listens. Throws a `Failure` (`PortTaken`, `PortUnusable`). */
export async function startRegistryServer(options: RegistryServerOptions): Promise<RegistryServer> {
  const { host = '127.0.0.1', port, certificate, env } = options;
  const settings = { headersTimeout: HEADERS_MS, requestTimeout: 0, keepAlive: true, noDelay: true };
  const server: Server =
    certificate === undefined
      ? createHttpServer(settings)
      : createHttpsServer({ ...settings, cert: certificate.certPem, key: certificate.keyPem });
  const sockets = new Set<Socket>();
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(STALLED_MS);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', ignore);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (incoming, outgoing) => serve(options, incoming, outgoing));
  await opened(server, { host, port });
  return {
    // A listening TCP server has an address with a port.
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = env.clock.after(GRACE_MS, () => {
        for (const socket of sockets) socket.destroy();
      });
      await closed;
      timer.cancel();
    },
  };
}

async function opened(server: Server, { host, port }: { readonly host: string; readonly port: number }) {
  try {
    const listening = once(server, 'listening');
    server.listen({ host, port });
    await listening;
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const message = isTaken ? `port ${port} is in use` : `cannot listen on ${host}:${port}`;
    throw new Failure('stalled', isTaken ? 'PortTaken' : 'PortUnusable', message, error);
  }
}

function serve(
  { handle, env }: RegistryServerOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  incoming.on('error', ignore);
  outgoing.on('error', ignore);
  const request = requestOf(incoming);
  handle(request)
    .catch((error: unknown) => {
      const isGone = incoming.destroyed && !incoming.complete;
      if (!isGone) {
        const { method, path } = request;
        env.log.error('a request to the registry failed', { method, path, error: String(error) });
      }
      return refused('UNKNOWN');
    })
    .then((response) => send(response, { incoming, outgoing }))
    // The client disconnected, or the content could not be read: the response is truncated.
    .catch(() => outgoing.destroy());
}

type Exchange = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

async function send(
  { status, headers, body }: RegistryResponse,
  { incoming, outgoing }: Exchange,
): Promise<void> {
  // An unread body would be parsed as the next request.
  const rest = incoming.complete ? {} : { connection: 'close' };
  if (!incoming.complete) discardRest(incoming);
  outgoing.writeHead(status, { ...headers, 'x-content-type-options': 'nosniff', ...rest });
  if (body instanceof Uint8Array) outgoing.end(body);
  else await pipeline(Readable.from(body, { objectMode: false }), outgoing);
}

/** Drains the body, since a client that is still writing would miss the response. */
function discardRest(incoming: IncomingMessage): void {
  let size = 0;
  incoming.on('data', (chunk: Uint8Array) => {
    size += chunk.length;
    if (size > MAX_DISCARDED_BYTES) incoming.destroy();
  });
}

function requestOf(incoming: IncomingMessage): RegistryRequest {
  const url = incoming.url ?? '/';
  const mark = url.indexOf('?');
  return {
    method: incoming.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : value,
      ]),
    ),
    // The response can still be sent. Without an encoding a request yields bytes.
    body: incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
  };
}

function ignore(): void {}
