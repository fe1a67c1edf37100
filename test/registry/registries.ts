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

/** `auth` is the section of its configuration. */
export async function startDebians(
  options: { readonly auth?: object; readonly htpasswd?: string } = {},
): Promise<RunningRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-docker-registry-'));
  const port = await freePort();
  const htpasswd = join(folder, 'htpasswd');
  if (options.htpasswd !== undefined) await writeFile(htpasswd, options.htpasswd);
  const auth =
    options.htpasswd === undefined ? options.auth : { htpasswd: { realm: 'test', path: htpasswd } };
  const configuration = join(folder, 'config.json');
  await writeFile(
    configuration,
    // YAML reads JSON.
    JSON.stringify({
      version: 0.1,
      log: { level: 'error' },
      storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: true } },
      http: { addr: `127.0.0.1:${port}`, secret: 'of-this-test' },
      ...(auth === undefined ? {} : { auth }),
    }),
  );
  const child = spawn('docker-registry', ['serve', configuration], { stdio: 'ignore' });
  const ended = once(child, 'close');
  ended.catch(() => undefined);
  await answers(port);
  return {
    host: `127.0.0.1:${port}`,
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

async function answers(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const isThere = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the registry does not answer');
}
