/** Registries to test with: ours, and the one that Debian packages. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { createRegistry, type Registry } from '../../src/embedded/registry/index.ts';
import { startRegistryServer } from '../../src/embedded/registry/registry-server-node.ts';
import { openRegistryStore } from '../../src/embedded/registry/registry-store-node.ts';
import {
  createRegistryClient,
  type RegistryClient,
  type RegistryClientOptions,
} from '../../src/images/index.ts';
import { createNodeRegistryTransport } from '../../src/images/transport-node.ts';

export type RunningRegistry = {
  /** `127.0.0.1:5000` */
  readonly host: string;
  readonly stop: () => Promise<void>;
};

const env = { clock: systemClock, random: systemRandom, log: silentLog };

export async function startOurs(): Promise<
  RunningRegistry & { readonly registry: Registry; readonly folder: string }
> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-registry-'));
  const registry = createRegistry({ store: await openRegistryStore(folder), env });
  const server = await startRegistryServer({ handle: registry.handle, env, port: 0 });
  return {
    host: `127.0.0.1:${server.port}`,
    registry,
    folder,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type DebiansOptions = {
  /** The section of its configuration. */
  readonly auth?: object;
  readonly htpasswd?: string;
  /** By default a free one. */
  readonly port?: number;
  /** With TLS, on another address than that of this machine itself. */
  readonly tls?: { readonly address: string; readonly certificate: string; readonly key: string };
};

export async function startDebians(
  options: DebiansOptions = {},
): Promise<RunningRegistry & { readonly data: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-docker-registry-'));
  const port = options.port ?? (await freePort());
  const { address = '127.0.0.1', ...tls } = options.tls ?? {};
  const htpasswd = join(folder, 'htpasswd');
  if (options.htpasswd !== undefined) await writeFile(htpasswd, options.htpasswd);
  const auth =
    options.htpasswd === undefined ? options.auth : { htpasswd: { realm: 'test', path: htpasswd } };
  const configuration = join(folder, 'config.json');
  const data = join(folder, 'data');
  await writeFile(
    configuration,
    // YAML reads JSON.
    JSON.stringify({
      version: 0.1,
      log: { level: 'error' },
      storage: { filesystem: { rootdirectory: data }, delete: { enabled: true } },
      http: { addr: `${address}:${port}`, secret: 'of-this-test', tls },
      ...(auth === undefined ? {} : { auth }),
    }),
  );
  const child = spawn('docker-registry', ['serve', configuration], { stdio: 'ignore' });
  const ended = once(child, 'close');
  ended.catch(() => undefined);
  await answers(`${address}:${port}`);
  return {
    host: `${address}:${port}`,
    data,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function client(options: Partial<RegistryClientOptions> = {}): RegistryClient {
  return createRegistryClient({
    transport: createNodeRegistryTransport({ clock: systemClock }),
    env: { clock: systemClock, random: systemRandom, signal: new AbortController().signal },
    ...options,
  });
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function answers(host: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const isThere = await fetch(`http://${host}/`).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the registry does not answer');
}
