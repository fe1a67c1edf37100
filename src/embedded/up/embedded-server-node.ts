/**
 * The complete embedded API server: data directory, store, TLS socket, and the installed `manifests/`.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Env } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { createProcessMetrics } from '../../processes/process-metrics-node.ts';
import {
  createDataDir,
  ensureKubeconfig,
  ensurePki,
  inspectDataDir,
  storeFolderOf,
} from '../apiserver/data-dir-node.ts';
import { type ReservedPort, reservePort, startHttpsServer } from '../apiserver/http/https-server-node.ts';
import { createKubelet } from '../apiserver/http/kubelet-node.ts';
import { type ApiServer, createApiServer, type Kubelet, type TokenUser } from '../apiserver/index.ts';
import { renewPki } from '../apiserver/pki/certificates-node.ts';
import { openStore } from '../apiserver/store/store-node.ts';
import { installManifests } from './install-manifests-node.ts';
import { throwIfStopped } from './throw-if-stopped.ts';

type EmbeddedServerOptions = {
  readonly env: Env;
  readonly dataDir: string;
  /** 0 for any free port. Default: 6443 or the next free port. */
  readonly port?: number | undefined;
  readonly tokenUsers: readonly TokenUser[];
  /** The directory of the package, with manifests/. */
  readonly packageRoot: string;
  /** Access to nodes. Default: HTTPS. */
  readonly kubelet?: Kubelet;
};

export type EmbeddedServer = {
  readonly url: string;
  /** The CA certificate. */
  readonly authorityPem: string;
  readonly handle: ApiServer['handle'];
  readonly publishMetrics: ApiServer['publishMetrics'];
  /** Waits for requests in progress, and closes everything. */
  readonly stop: () => Promise<void>;
};

/**
 * Throws a `Failure` if the data directory or the port cannot be used, or if it is stopped meanwhile (`cancelled`). Nothing
 * is left open then, and nothing is created if the port is in use.
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { env, dataDir, tokenUsers, packageRoot } = options;
  // Closed in reverse order, so that dependencies are closed last.
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
  };
  const hold = async (): Promise<ReservedPort> => {
    const held = await findPort(options.port);
    closers.push(held.release);
    return held;
  };
  try {
    // A data directory in use is reported before a port in use: it is the better hint.
    const early = inspectDataDir(dataDir) === 'new' ? await hold() : undefined;
    createDataDir(dataDir);
    const store = openStore({ folder: storeFolderOf(dataDir) });
    closers.push(() => store.close());
    const port = early ?? (await hold());
    const pki = ensurePki(dataDir, (kept) => renewPki(kept, { clock: env.clock, hostName: hostname() }));
    const { tokenKey, server: certificate } = pki;
    throwIfStopped(env);
    const kubelet = options.kubelet ?? createKubelet(certificate);
    const apiServer = await createApiServer({ store, env, tokenKey, tokenUsers, kubelet, port: port.port });
    closers.push(() => apiServer.close());
    const processMetrics = createProcessMetrics();
    apiServer.publishMetrics(processMetrics);
    closers.push(async () => processMetrics.stop());
    throwIfStopped(env);
    const { handle, receive, publishMetrics } = apiServer;
    const authorityPem = pki.authority.certPem;
    const socket = await startHttpsServer({ receive, env, certificate, authorityPem, port });
    closers.push(() => socket.stop());
    const url = `https://127.0.0.1:${socket.port}`;
    ensureKubeconfig(dataDir, url, pki);
    const { clock, signal } = env;
    await installManifests({ handle, clock, signal, directory: join(packageRoot, 'manifests') });
    return { url, authorityPem, handle, publishMetrics, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const DEFAULT_PORT = 6443;
const MAX_PORTS = 100;

async function findPort(wanted: number | undefined): Promise<ReservedPort> {
  if (wanted !== undefined) return reservePort({ port: wanted });
  for (let port = DEFAULT_PORT; ; port++) {
    try {
      return await reservePort({ port });
    } catch (error) {
      const isTaken = error instanceof Failure && error.reason === 'PortTaken';
      if (!isTaken || port + 1 >= DEFAULT_PORT + MAX_PORTS) throw error;
    }
  }
}
