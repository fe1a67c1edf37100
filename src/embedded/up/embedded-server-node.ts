/**
 * The embedded API server as a whole: a data directory, the server over its store, a TLS socket, and what `manifests/`
 * holds installed.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Env } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
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
import { refuseIfStopped } from './stopped.ts';

type EmbeddedServerOptions = {
  readonly env: Env;
  readonly dataDir: string;
  /** 0 for any that is free; without it 6443 or the next that is free. */
  readonly port?: number | undefined;
  readonly tokenUsers: readonly TokenUser[];
  /** The folder of the package, with manifests/ in it. */
  readonly packageRoot: string;
  /** How nodes are reached; over HTTPS where nothing is said. */
  readonly kubelet?: Kubelet;
};

export type EmbeddedServer = {
  readonly url: string;
  /** What the server's certificate is signed by. */
  readonly authorityPem: string;
  readonly handle: ApiServer['handle'];
  /** Lets what is under way end, and closes everything. */
  readonly stop: () => Promise<void>;
};

/**
 * Throws a `Failure` when the folder or the port cannot be had, or when it is told to stop meanwhile (`cancelled`).
 * Nothing is left open then, and nothing is made where the port is taken.
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { env, dataDir, tokenUsers, packageRoot } = options;
  // Closed in the reverse order of their opening, so that nobody loses what it stands on.
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
    // Who has the folder is told before who has the port: it is the better hint.
    const early = inspectDataDir(dataDir) === 'new' ? await hold() : undefined;
    createDataDir(dataDir);
    const store = openStore({ folder: storeFolderOf(dataDir) });
    closers.push(() => store.close());
    const port = early ?? (await hold());
    const pki = ensurePki(dataDir, (kept) => renewPki(kept, { clock: env.clock, hostName: hostname() }));
    const { tokenKey, server: certificate } = pki;
    refuseIfStopped(env);
    const kubelet = options.kubelet ?? createKubelet(certificate);
    const apiServer = await createApiServer({ store, env, tokenKey, tokenUsers, kubelet, port: port.port });
    closers.push(() => apiServer.close());
    refuseIfStopped(env);
    const { handle, receive } = apiServer;
    const authorityPem = pki.authority.certPem;
    const socket = await startHttpsServer({ receive, env, certificate, authorityPem, port });
    closers.push(() => socket.stop());
    const url = `https://127.0.0.1:${socket.port}`;
    ensureKubeconfig(dataDir, url, pki);
    const { clock, signal } = env;
    await installManifests({ handle, clock, signal, folder: join(packageRoot, 'manifests') });
    return { url, authorityPem, handle, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const DEFAULT_PORT = 6443;
/** So many ports are tried before giving up. */
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
