/** The part of a node that a server asks for logs, and for whatever else: the test plays the kubelet. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export type FakeKubelet = {
  readonly port: number;
  readonly asked: string[];
  readonly stop: () => Promise<void>;
};

export async function startKubelet(tls: {
  readonly cert: string;
  readonly key: string;
}): Promise<FakeKubelet> {
  const asked: string[] = [];
  const server = createServer(tls, (request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end(`line one of ${request.url?.split('?')[0]}\nline two\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    asked,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
