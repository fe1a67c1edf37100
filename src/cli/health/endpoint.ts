/** Serves the health of a component and, where it has any, its metrics. */
import { createServer } from 'node:http';
import { Failure } from '../../base/errors.ts';
import { reasonOf } from '../render/read-input.ts';

type EndpointOptions = {
  /** The flag with the address, for messages. */
  readonly flag: '--health-address' | '--metrics-url';
  /** `127.0.0.1:8797`; `:8081` for all interfaces. */
  readonly address: string;
  /** In Prometheus' text format. */
  readonly metrics?: () => string;
  readonly isReady: () => boolean;
};

type Endpoint = { readonly stop: () => Promise<void> };

/** Scrapers send few headers. */
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_CONNECTIONS = 16;
const TIMEOUT_MS = 10_000;

/** Throws a `Failure` (`MetricsUnusable`) if it cannot listen on the address. */
export async function serveEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { flag, address } = options;
  const match = /^(?<host>[^:]+:|\[[^\]]+\]:|:|)(?<port>\d{1,5})$/.exec(address);
  if (match === null) {
    throw new Failure('usage', 'MetricsUnusable', `${flag}: "${address}" is not HOST:PORT`);
  }
  const { host: prefix = '', port } = match.groups ?? {};
  // Without a host, Node.js listens on all interfaces, of IPv6 too where the machine has it.
  const host = prefix === '' ? '127.0.0.1' : prefix.slice(0, -1).replace(/^\[|\]$/g, '') || undefined;
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: TIMEOUT_MS },
    (request, response) => {
      const answer = responseTo(request.method, request.url, options);
      response.writeHead(answer.code, { 'content-type': answer.type, connection: 'close' });
      response.end(request.method === 'HEAD' ? undefined : answer.body);
    },
  );
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
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type EndpointResponse = { readonly code: number; readonly type: string; readonly body: string };

function responseTo(
  method: string | undefined,
  url: string | undefined,
  { metrics, isReady }: EndpointOptions,
): EndpointResponse {
  const text = (code: number, body: string): EndpointResponse => ({
    code,
    type: 'text/plain; charset=utf-8',
    body,
  });
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'only GET and HEAD\n');
  const path = (url ?? '').split('?')[0];
  if (path === '/metrics' && metrics !== undefined) {
    return { code: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: metrics() };
  }
  if (path === '/health' || path === '/healthz') return text(200, 'ok\n');
  if (path === '/readyz') {
    return isReady() ? text(200, 'ok\n') : text(503, 'not ready: the API server has not answered yet\n');
  }
  return text(404, `not found: try ${metrics === undefined ? '' : '/metrics, '}/healthz or /readyz\n`);
}
