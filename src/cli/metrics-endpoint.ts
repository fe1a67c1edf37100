/** Serves the metrics and health of a component on the loopback interface. */
import { createServer } from 'node:http';
import { Failure } from '../base/errors.ts';
import { reasonOf } from './render/read-input.ts';

type MetricsServerOptions = {
  /** `127.0.0.1:8797`. */
  readonly address: string;
  /** In Prometheus' text format. */
  readonly metrics: () => string;
};

type MetricsServer = { readonly stop: () => Promise<void> };

/** Scrapers send few headers. */
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_CONNECTIONS = 16;
const TIMEOUT_MS = 10_000;

/** Throws a `Failure` (`MetricsUnusable`) if it cannot listen on the address. */
export async function serveMetrics({ address, metrics }: MetricsServerOptions): Promise<MetricsServer> {
  const match = /^(?:(?<host>[^:]+|\[[^\]]+\]):)?(?<port>\d{1,5})$/.exec(address);
  if (match === null) {
    throw new Failure('usage', 'MetricsUnusable', `--metrics-url: "${address}" is not HOST:PORT`);
  }
  const { host = '127.0.0.1', port } = match.groups ?? {};
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: TIMEOUT_MS },
    (request, response) => {
      const answer = responseTo(request.method, request.url, metrics);
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
          `--metrics-url: cannot listen on ${address}: ${reasonOf(error)}`,
          error,
        ),
      ),
    );
    server.listen({ host: host.replace(/^\[|\]$/g, ''), port: Number(port) }, resolve);
  });
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type MetricsResponse = { readonly code: number; readonly type: string; readonly body: string };

function responseTo(
  method: string | undefined,
  url: string | undefined,
  metrics: () => string,
): MetricsResponse {
  const text = (code: number, body: string): MetricsResponse => ({
    code,
    type: 'text/plain; charset=utf-8',
    body,
  });
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'only GET and HEAD\n');
  const path = (url ?? '').split('?')[0];
  if (path === '/metrics') {
    return { code: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: metrics() };
  }
  if (path === '/health' || path === '/healthz') return text(200, 'ok\n');
  return text(404, 'not found: try /metrics or /health\n');
}
