import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/env.ts';
import { counter, Metrics } from '../../kubernetes/metrics/index.ts';
import { selfSignedCertificate } from './metrics-certificate.ts';
import { serveMetrics } from './metrics-endpoints.ts';

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const tries = counter('tries_total', 'Tries.');
const transport = {
  send: async ({ path, body }: { readonly path: string; readonly body?: Uint8Array }) => {
    const { spec } = JSON.parse(new TextDecoder().decode(body));
    const isToken = path.endsWith('tokenreviews');
    const status = isToken
      ? { authenticated: spec.token !== 'bad', user: { username: spec.token } }
      : { allowed: spec.user === 'good' };
    const text = JSON.stringify({ metadata: {}, status });
    return {
      status: 201,
      headers: {},
      body: (async function* () {
        yield Buffer.from(text);
      })(),
    };
  },
};

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function serve(options: { readonly certDir?: string; readonly address?: string } = {}) {
  const stopping = new AbortController();
  const [plain, secured] = [await freePort(), await freePort()];
  const warnings: string[] = [];
  const log = { ...console, warn: (line: string) => warnings.push(line), debug: () => undefined };
  const metrics = new Metrics([tries]);
  const served = await serveMetrics({
    env: { clock: systemClock, signal: stopping.signal, log },
    options: {
      metricsUrl: `127.0.0.1:${plain}`,
      metricsAddress: options.address ?? `127.0.0.1:${secured}`,
      ...(options.certDir === undefined ? {} : { metricsCertDir: options.certDir }),
    },
    metrics,
    transport,
    userAgent: 'test',
    isReady: () => true,
  });
  closers.push(
    () => stopping.abort(),
    () => served.stop(),
  );
  return { plain, secured, warnings };
}

function get(port: number, path: string, token?: string): Promise<{ code: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const ask = request({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text) => {
        body += text;
      });
      response.on('end', () => resolve({ code: response.statusCode ?? 0, body }));
    });
    ask.on('error', reject);
    ask.end();
  });
}

describe('serveMetrics', () => {
  it('serves metrics of the component and of the process without TLS on the loopback interface', async () => {
    const { plain } = await serve();
    const response = await fetch(`http://127.0.0.1:${plain}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    expect(text).toContain('tries_total 0\n');
    expect(text).toMatch(/^process_resident_memory_bytes \d{7,}$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_max_seconds /m);
  });

  it('serves them over TLS only to users who may read them', async () => {
    const { secured } = await serve();
    expect((await get(secured, '/metrics')).code).toBe(401);
    expect((await get(secured, '/metrics', 'bad')).code).toBe(401);
    expect(await get(secured, '/metrics', 'other')).toEqual({
      code: 403,
      body: 'user "other" may not get the non-resource URL /metrics\n',
    });
    const granted = await get(secured, '/metrics', 'good');
    expect(granted.code).toBe(200);
    expect(granted.body).toContain('tries_total 0\n');
    // Probes need no token, and tell nothing.
    expect(await get(secured, '/healthz')).toEqual({ code: 200, body: 'ok\n' });
  });

  it('uses the mounted certificate', async () => {
    const certDir = await mkdtemp(join(tmpdir(), 'millwright-metrics-'));
    closers.push(() => rm(certDir, { recursive: true }));
    const { certPem, keyPem } = selfSignedCertificate(systemClock);
    await writeFile(join(certDir, 'tls.crt'), certPem);
    await writeFile(join(certDir, 'tls.key'), keyPem);
    const { secured } = await serve({ certDir });
    const presented = await new Promise<string>((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: secured, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate()?.toString() ?? '');
        socket.end();
      });
      socket.on('error', reject);
    });
    expect(presented).toBe(certPem);
  });

  it('goes on without the port for others where another program has it, and says so', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => taken.close(resolve)));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { plain, warnings } = await serve({ address: `127.0.0.1:${port}` });
    expect((await fetch(`http://127.0.0.1:${plain}/metrics`)).status).toBe(200);
    expect(warnings).toEqual(['metrics are not served to others']);
  });
});
