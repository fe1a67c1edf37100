/**
 * The embedded API server as a target of the contract suite: a real socket, certificates and tokens around a store in
 * memory, in this process.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { startHttpsServer } from '../../src/embedded/apiserver/http/https-server-node.ts';
import { createApiServer, createMemoryStore } from '../../src/embedded/apiserver/index.ts';
import { renewPki } from '../../src/embedded/apiserver/pki/certificates-node.ts';
import { createWorkloadControllers, workloadSettings } from '../../src/embedded/controllers/index.ts';
import {
  createCaches,
  createInProcessTransport,
  createKube,
  runControllers,
} from '../../src/kubernetes/client/index.ts';
import type { Target } from '../contract/target.ts';
import { formatKubeconfig } from '../kubernetes/kubeconfig.ts';
import { TOKEN_USERS } from '../kubernetes/kubernetes.ts';

/** Small enough for cases that need compacted history. */
const LOG_LIMITS = { events: 20_000, bytes: 64 * 1024 * 1024 };

/** No client-side rate limits: they are not tested here. */
const LIMITS = { rate: { perSecond: 10_000, burst: 10_000 } };

export async function startMillwright(): Promise<Target> {
  const directory = await mkdtemp(join(tmpdir(), 'millwright-contract-'));
  const env = { clock: systemClock, random: systemRandom, log: silentLog };
  const pki = renewPki({}, { clock: systemClock });
  const store = createMemoryStore(LOG_LIMITS);
  const server = await createApiServer({
    store,
    env,
    tokenKey: pki.tokenKey,
    tokenUsers: TOKEN_USERS.map(({ token, name, groups }) => ({
      token,
      user: { name, uid: `${name}-uid`, groups },
    })),
  });
  const socket = await startHttpsServer({
    receive: (arriving) => server.receive(arriving),
    env,
    certificate: pki.server,
    authorityPem: pki.authority.certPem,
    port: 0,
  });
  const url = `https://127.0.0.1:${socket.port}`;
  const admin = { cert: pki.admin.certPem, key: pki.admin.keyPem };
  const stopping = new AbortController();
  let controllers: Promise<void> | undefined;
  const kubeconfigPath = join(directory, 'kubeconfig');
  await writeFile(kubeconfigPath, formatKubeconfig({ url, caPem: pki.authority.certPem, ...admin }));
  return {
    name: 'millwright',
    kubeconfigPath,
    url,
    ca: pki.authority.certPem,
    admin,
    users: TOKEN_USERS,
    async startControllers() {
      const transport = createInProcessTransport({
        handle: (request) => server.handle(request),
        user: { name: 'admin', groups: ['system:masters'] },
      });
      const all = { ...env, signal: stopping.signal };
      const kube = createKube({
        transport,
        env: all,
        fieldManager: 'kube-controller-manager',
        limits: LIMITS,
      });
      const caches = createCaches({ transport, env: all, limits: LIMITS });
      const settings = workloadSettings({ authorityPem: pki.authority.certPem });
      controllers = runControllers(createWorkloadControllers({ kube, caches, env: all, settings }), {
        env: all,
      });
    },
    async expireHistory() {
      const value = new Uint8Array(1);
      for (let count = 0; count <= LOG_LIMITS.events; count++) {
        await store.commit([{ kind: 'put', key: 'unused/key', expect: 'any', value }]);
      }
    },
    async stop() {
      stopping.abort();
      await controllers;
      await socket.stop();
      await server.close();
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
