/** The client on our own server: within the process, over TLS, and through `fetch` as a browser has it. */

import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { startHttpsServer } from '../../src/embedded/apiserver/http/https-server-node.ts';
import { createApiServer, createMemoryStore } from '../../src/embedded/apiserver/index.ts';
import { renewPki } from '../../src/embedded/apiserver/pki/certificates-node.ts';
import { createInProcessTransport } from '../../src/kubernetes/client/index.ts';
import { createNodeTransport } from '../../src/kubernetes/client/transport-node.ts';
import { type KubeTarget, runKubeContract } from './kube-contract.ts';

const ADMIN = { name: 'admin', groups: ['system:masters'] };
const STRANGER = { name: 'stranger', groups: [] };
const STRANGER_TOKEN = 'stranger-token';
/** Few enough to be written over when the suite wants history to be forgotten. */
const LOG_LIMITS = { events: 5_000, bytes: 64 * 1024 * 1024 };
const env = { clock: systemClock, random: systemRandom, log: silentLog };

async function startServer() {
  const pki = renewPki({}, { clock: systemClock });
  const store = createMemoryStore(LOG_LIMITS);
  const tokenUsers = [{ token: STRANGER_TOKEN, user: STRANGER }];
  const server = await createApiServer({ store, env, tokenKey: pki.tokenKey, tokenUsers });
  return {
    pki,
    handle: (request: Parameters<typeof server.handle>[0]) => server.handle(request),
    async expireHistory() {
      const value = new Uint8Array(1);
      for (let count = 0; count <= LOG_LIMITS.events; count++) {
        await store.commit([{ kind: 'put', key: 'unused/key', expect: 'any', value }]);
      }
    },
    async stop() {
      await server.close();
      await store.close();
    },
  };
}

async function withinThisProcess(): Promise<KubeTarget> {
  const { handle, stop, expireHistory } = await startServer();
  return {
    transport: createInProcessTransport({ handle, user: ADMIN }),
    stranger: createInProcessTransport({ handle, user: STRANGER }),
    expireHistory,
    stop,
  };
}

async function overTls(): Promise<KubeTarget> {
  const { pki, handle, stop, expireHistory } = await startServer();
  const authorityPem = pki.authority.certPem;
  const socket = await startHttpsServer({ handle, env, certificate: pki.server, authorityPem, port: 0 });
  const url = `https://127.0.0.1:${socket.port}`;
  const clock = systemClock;
  const transport = createNodeTransport({ access: { url, authorityPem, certificate: pki.admin }, clock });
  const token = () => Promise.resolve(STRANGER_TOKEN);
  const stranger = createNodeTransport({ access: { url, authorityPem, token }, clock });
  return {
    transport,
    stranger,
    expireHistory,
    async stop() {
      transport.close();
      stranger.close();
      await socket.stop();
      await stop();
    },
  };
}

runKubeContract('within the process', withinThisProcess);
runKubeContract('over TLS', overTls);
