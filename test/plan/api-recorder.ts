/** Stands between a command and an API server, and writes down every request. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { parse } from 'yaml';

export type ApiRecorder = {
  /** Leads through the recorder. */
  readonly kubeconfig: string;
  /** `GET /api/v1/nodes`. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
};

/** `kubeconfig`: of a user with a client certificate. `path`: where the new one is written. */
export async function startApiRecorder(kubeconfig: string, path: string): Promise<ApiRecorder> {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8'));
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const access = {
    ca: bytes(clusters[0].cluster['certificate-authority-data']),
    cert: bytes(users[0].user['client-certificate-data']),
    key: bytes(users[0].user['client-key-data']),
  };
  const requests: string[] = [];
  const server = createServer((near, answer) => {
    const { method = '', url = '', headers } = near;
    requests.push(`${method} ${url}`);
    const { host: _, ...passed } = headers;
    const far = request(
      new URL(url, clusters[0].cluster.server),
      { ...access, method, headers: passed },
      (found) => {
        answer.writeHead(found.statusCode ?? 500, found.headers);
        found.pipe(answer);
      },
    );
    far.on('error', (error) => answer.destroy(error));
    near.pipe(far);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const own = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'recorded' },
    clusters: [{ name: 'recorded', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'recorded', user: {} }],
    contexts: [{ name: 'recorded', context: { cluster: 'recorded', user: 'recorded' } }],
  };
  // JSON is YAML.
  writeFileSync(path, JSON.stringify(own));
  return { kubeconfig: path, requests, close: () => closed(server) };
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
