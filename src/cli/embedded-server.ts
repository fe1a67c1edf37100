/**
 * The embedded API server as a whole: a data directory, the server over its store, a TLS socket, and what `manifests/`
 * holds installed.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { renewPki } from '../apiserver/certificates-node.ts';
import { keepKubeconfig, keepPki, type Pki, storeFolderOf } from '../apiserver/data-dir-node.ts';
import { type HttpsServer, startHttpsServer } from '../apiserver/https-server-node.ts';
import { type ApiServer, createApiServer, type TokenUser } from '../apiserver/index.ts';
import { createKubelet } from '../apiserver/kubelet-node.ts';
import { openStore } from '../apiserver/store-node.ts';
import type { Env } from '../env.ts';
import { Failure } from '../errors.ts';
import { installManifests } from './install-manifests.ts';

export type EmbeddedServerOptions = {
  readonly env: Env;
  readonly dataDir: string;
  /** 0 for any that is free; without it 6443 or the next that is free. */
  readonly port?: number | undefined;
  readonly tokenUsers: readonly TokenUser[];
  /** The folder of the package, with manifests/ in it. */
  readonly packageRoot: string;
};

export type EmbeddedServer = {
  readonly url: string;
  readonly handle: ApiServer['handle'];
  /** Lets what is under way end, and closes everything. */
  readonly stop: () => Promise<void>;
};

/** Throws a `Failure` when the folder or the port cannot be had; nothing is left open then. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { env, dataDir, tokenUsers, packageRoot } = options;
  // Closed in the reverse order of their opening, so that nobody loses what it stands on.
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
  };
  try {
    const store = openStore({ folder: storeFolderOf(dataDir) });
    closers.push(() => store.close());
    const pki = keepPki(dataDir, (kept) => renewPki(kept, { clock: env.clock, hostName: hostname() }));
    const { tokenKey } = pki;
    const kubelet = createKubelet(pki.server);
    const apiServer = await createApiServer({ store, env, tokenKey, tokenUsers, kubelet });
    closers.push(() => apiServer.close());
    const socket = await listen(options, pki, apiServer);
    closers.push(() => socket.stop());
    const url = `https://127.0.0.1:${socket.port}`;
    keepKubeconfig(dataDir, url, pki);
    const { handle } = apiServer;
    await installManifests({ handle, clock: env.clock, folder: join(packageRoot, 'manifests') });
    return { url, handle, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const DEFAULT_PORT = 6443;
/** So many ports are tried before giving up. */
const MAX_PORTS = 100;

async function listen(
  { env, port: wanted }: EmbeddedServerOptions,
  { server: certificate, authority }: Pki,
  { handle }: ApiServer,
): Promise<HttpsServer> {
  const open = (port: number) =>
    startHttpsServer({ handle, env, certificate, authorityPem: authority.certPem, port });
  if (wanted !== undefined) return open(wanted);
  for (let port = DEFAULT_PORT; ; port++) {
    try {
      return await open(port);
    } catch (error) {
      const isTaken = error instanceof Failure && error.reason === 'PortTaken';
      if (!isTaken || port + 1 >= DEFAULT_PORT + MAX_PORTS) throw error;
    }
  }
}
