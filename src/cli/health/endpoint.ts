/** Serves the health of a component and its metrics: plain for probes and the machine itself, over TLS for everyone else. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Failure } from '../../base/errors.ts';
import type { PemPair } from '../../certificates/index.ts';
import { reasonOf } from '../render/read-input.ts';
import type { Access } from './metrics-access.ts';

type EndpointOptions = {
  /** The flag with the address, for messages. */
  readonly flag: '--health-address' | '--metrics-url' | '--metrics-address';
  /** `127.0.0.1:8797`; `:8081` for all interfaces. */
  readonly address: string;
  /** In Prometheus' text format. */
  readonly metrics?: () => string;
  readonly isReady: () => boolean;
  /** With them, metrics are served over TLS to those who may read them. */
  readonly secured?: {
    readonly certificate: PemPair;
    readonly check: (authorization: string | undefined) => Promise<Access>;
  };
};

export type Endpoint = {
  /** The port that it listens on. */
  readonly port: number;
  readonly stop: () => Promise<void>;
  /** From the next connection on. */
  readonly setCertificate: (certificate: PemPair) => void;
};

/** Scrapers send few headers; a token can be long. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 16;
const TIMEOUT_MS = 10_000;

/** Throws a `Failure` (`MetricsUnusable`) if it cannot listen on the address. */
export async function serveEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { flag, address, secured } = options;
  const match = /^(?<host>[^:]+:|\[[^\]]+\]:|:|)(?<port>\d{1,5})$/.exec(address);
  if (match === null) {
    throw new Failure('usage', 'MetricsUnusable', `${flag}: "${address}" is not HOST:PORT`);
  }
  const { host: prefix = '', port } = match.groups ?? {};
  // Without a host, Node.js listens on all interfaces, of IPv6 too where the machine has it.
  const host = prefix === '' ? '127.0.0.1' : prefix.slice(0, -1).replace(/^\[|\]$/g, '') || undefined;
  const limits = { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: TIMEOUT_MS };
  const tlsServer =
    secured === undefined
      ? undefined
      : createTlsServer(
          { ...limits, ...tlsOf(secured.certificate), minVersion: 'TLSv1.2' },
          listener(options),
        );
  const server: Server = tlsServer ?? createServer(limits, listener(options));
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new Failure(
          'usage',
          'MetricsUnusable',
          `${flag}: cannot listen on ${address}: ${reasonOf(error)}`,
          error,
        ),
      ),
    );
    server.listen({ host, port: Number(port) }, resolve);
  });
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : Number(port),
    setCertificate: (certificate) => tlsServer?.setSecureContext(tlsOf(certificate)),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function tlsOf({ certPem, keyPem }: PemPair) {
  return { cert: certPem, key: keyPem };
}

function listener(options: EndpointOptions): RequestListener {
  return (request, response) => {
    void responseTo(request.method, request.url, { ...options, authorization: request.headers.authorization })
      .catch(() => text(500, 'internal error\n'))
      .then((answer) => {
        response.writeHead(answer.code, { 'content-type': answer.type, connection: 'close' });
        response.end(request.method === 'HEAD' ? undefined : answer.body);
      });
  };
}

type EndpointResponse = { readonly code: number; readonly type: string; readonly body: string };

function text(code: number, body: string): EndpointResponse {
  return { code, type: 'text/plain; charset=utf-8', body };
}

async function responseTo(
  method: string | undefined,
  url: string | undefined,
  {
    metrics,
    isReady,
    secured,
    authorization,
  }: EndpointOptions & { readonly authorization: string | undefined },
): Promise<EndpointResponse> {
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'only GET and HEAD\n');
  const path = (url ?? '').split('?')[0];
  if (path === '/metrics' && metrics !== undefined) {
    const access = await secured?.check(authorization);
    if (access !== undefined && access.code !== 200) return text(access.code, access.message);
    return { code: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: metrics() };
  }
  if (path === '/health' || path === '/healthz') return text(200, 'ok\n');
  if (path === '/readyz') {
    return isReady() ? text(200, 'ok\n') : text(503, 'not ready: the API server has not answered yet\n');
  }
  return text(404, `not found: try ${metrics === undefined ? '' : '/metrics, '}/healthz or /readyz\n`);
}
