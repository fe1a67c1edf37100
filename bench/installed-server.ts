/** An API server in this process, with the manifests installed, for components in processes of their own. */
import { type Env, silentLog, systemClock, systemRandom } from '../src/base/env.ts';
import { startHttpsServer } from '../src/embedded/apiserver/http/https-server-node.ts';
import { createApiServer, createMemoryStore, type Store } from '../src/embedded/apiserver/index.ts';
import { renewPki } from '../src/embedded/apiserver/pki/certificates-node.ts';
import { installManifests } from '../src/embedded/up/install-manifests-node.ts';
import { createInProcessTransport, type Transport } from '../src/kubernetes/client/index.ts';
import { formatKubeconfig } from '../test/kubernetes/kubeconfig.ts';

type InstalledServer = {
  /** Its signal is aborted by `end`. */
  readonly env: Env;
  readonly store: Store;
  /** Of an administrator, as the kubeconfig is. */
  readonly transport: Transport;
  readonly kubeconfig: string;
  /** Ends what runs in this process. */
  readonly end: () => void;
  readonly stop: () => Promise<void>;
};

export async function startInstalledServer(): Promise<InstalledServer> {
  const ending = new AbortController();
  const env = { clock: systemClock, random: systemRandom, log: silentLog, signal: ending.signal };
  const { tokenKey, server: certificate, authority, admin } = renewPki({}, { clock: systemClock });
  const store = createMemoryStore();
  const server = await createApiServer({ store, env, tokenKey });
  const { handle } = server;
  await installManifests({ handle, clock: systemClock, directory: 'manifests' });
  const { certPem: caPem } = authority;
  const socket = await startHttpsServer({ handle, env, certificate, authorityPem: caPem, port: 0 });
  const { certPem: cert, keyPem: key } = admin;
  return {
    env,
    store,
    transport: createInProcessTransport({ handle, user: { name: 'admin', groups: ['system:masters'] } }),
    kubeconfig: formatKubeconfig({ url: `https://127.0.0.1:${socket.port}`, caPem, cert, key }),
    end: () => ending.abort(),
    async stop() {
      ending.abort();
      await socket.stop();
      await server.close();
      await store.close();
    },
  };
}
