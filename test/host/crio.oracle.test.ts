/**
 * The images of a real CRI-O: presence, pulls from a registry over HTTP, what a missing image and a registry that goes down in the
 * middle give, and that CRI-O pins what the drop-in names. As root, since CRI-O wants to be.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { createMemoryRegistryStore, createRegistry } from '../../src/embedded/registry/index.ts';
import { startRegistryServer } from '../../src/embedded/registry/registry-server-node.ts';
import { buildImage, createRegistryClient, parseImageReference, pushImage } from '../../src/images/index.ts';
import { createNodeRegistryTransport } from '../../src/images/transport-node.ts';
import { createCriCall } from '../../src/node/host/cri/cri-client-node.ts';
import { createLinuxHost, createLinuxImages, type Host } from '../../src/node/host/index.ts';
import { createCommandRunner, createLinuxDisk } from '../../src/node/host/linux-node.ts';
import { pinnedDropIn } from '../../src/node/pinned/index.ts';
import { findCrioProgram } from '../kubernetes/programs.ts';

const [crio, pinns] = await Promise.all([findCrioProgram('crio'), findCrioProgram('pinns')]);
const isHere = async (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
const canRun =
  process.getuid?.() === 0 &&
  typeof crio === 'string' &&
  typeof pinns === 'string' &&
  (await isHere('/usr/bin/conmon')) &&
  (await isHere('/usr/sbin/runc'));
const isRequired = process.env.MILLWRIGHT_REQUIRE_TOOLS === '1';

const ending = new AbortController();
const env = { clock: systemClock, random: systemRandom, log: silentLog, signal: ending.signal };
const NEVER = new AbortController().signal;
const AMD64 = { os: 'linux', architecture: 'amd64' };

describe.skipIf(!canRun && !isRequired)('the images of CRI-O', { timeout: 120_000 }, () => {
  let folder = '';
  let daemon: ChildProcess | undefined;
  let output = '';
  let host: Host;
  let registry: Awaited<ReturnType<typeof startRegistryServer>>;
  let isDown = false;
  let port = 0;

  beforeAll(async () => {
    if (typeof crio !== 'string' || typeof pinns !== 'string') throw new Error('there is no CRI-O');
    folder = await mkdtemp(join(tmpdir(), 'crio-'));
    const { handle } = createRegistry({ store: createMemoryRegistryStore(), env });
    registry = await startRegistryServer({
      handle: async (request) => {
        const isLayer = /\/blobs\//.test(request.path);
        return isDown && isLayer
          ? { status: 503, headers: {}, body: new Uint8Array() }
          : await handle(request);
      },
      env,
      port: 0,
    });
    port = registry.port;
    const conf = await writeConf(folder, { port, pinns });
    daemon = spawn(crio, ['--config', conf, '--config-dir', join(folder, 'conf.d')], {
      env: { ...process.env, CONTAINERS_REGISTRIES_CONF: join(folder, 'registries.conf') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [daemon.stdout, daemon.stderr]) stream?.on('data', (chunk) => (output += chunk));
    for (
      let count = 0;
      count < 200 && daemon.exitCode === null && !(await isHere(join(folder, 'crio.sock')));
      count++
    )
      await sleep(100);
    if (!(await isHere(join(folder, 'crio.sock')))) throw new Error(`CRI-O does not start: ${output}`);
    host = createLinuxHost({
      disk: createLinuxDisk('/'),
      runner: createCommandRunner({ entrance: { kind: 'here' } }),
      random: systemRandom,
      processId: process.pid,
      images: (machine) =>
        createLinuxImages({
          ...machine,
          call: createCriCall(join(folder, 'crio.sock')),
          architecture: 'amd64',
          readManifest: async () => undefined,
        }),
    });
  });

  afterAll(async () => {
    const running = daemon !== undefined && daemon.exitCode === null && daemon.signalCode === null;
    if (running) {
      daemon?.kill('SIGTERM');
      if (daemon !== undefined) await once(daemon, 'close');
    }
    await registry?.stop();
    ending.abort();
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  });

  async function push(name: string, content: string): Promise<string> {
    const reference = parseImageReference(`127.0.0.1:${port}/${name}:latest`);
    if (reference.kind === 'invalid') throw new Error('it is a reference');
    const built = buildImage({
      platform: AMD64,
      layers: [
        {
          items: [
            {
              ...{ kind: 'file' as const, path: 'content', mode: 0o644, mtime: 0 },
              content: new TextEncoder().encode(content),
            },
          ],
        },
      ],
      labels: {},
      created: '2026-01-01T00:00:00Z',
    });
    const transport = createNodeRegistryTransport({ clock: env.clock });
    await pushImage(
      createRegistryClient({ transport, env, isPlainHttp: () => true }),
      reference.value,
      built,
    );
    transport.close();
    return `127.0.0.1:${port}/${name}@${built.top.descriptor.digest}`;
  }

  it('are there once they are pulled, and on a file system with space', async () => {
    const image = await push('team/one', 'one');
    expect(await host.images.isPresent(image, NEVER), output).toBe(false);
    await host.images.pull(image, NEVER);
    expect(await host.images.isPresent(image, NEVER)).toBe(true);
    expect(await host.images.freeBytes()).toBeGreaterThan(0);
  });

  it('that do not exist fail with the words of the registry', async () => {
    const image = `127.0.0.1:${port}/team/gone@sha256:${'0'.repeat(64)}`;
    expect(await host.images.isPresent(image, NEVER)).toBe(false);
    await expect(host.images.pull(image, NEVER)).rejects.toThrow(/manifest unknown|not found/i);
  });

  it('are not there after a registry has gone down in the middle, and can be pulled later', async () => {
    const image = await push('team/downed', 'x'.repeat(1_000_000));
    isDown = true;
    await expect(host.images.pull(image, NEVER)).rejects.toThrow();
    expect(await host.images.isPresent(image, NEVER)).toBe(false);
    isDown = false;
    await host.images.pull(image, NEVER);
    expect(await host.images.isPresent(image, NEVER)).toBe(true);
  });

  it('end with the signal', async () => {
    const image = await push('team/stopped', 'stopped');
    const stop = new AbortController();
    const pull = host.images.pull(image, stop.signal);
    stop.abort();
    await expect(pull).rejects.toMatchObject({ kind: 'cancelled' });
  });

  it('are pinned by the drop-in once CRI-O is reloaded', async () => {
    const image = await push('team/pinned', 'pinned');
    await host.images.pull(image, NEVER);
    const call = createCriCall(join(folder, 'crio.sock'));
    const isPinned = async () => {
      const answer = await call('ImageService/ListImages', new Uint8Array(), {
        signal: NEVER,
        limitMs: 10_000,
      });
      // Field 8 of an image, `pinned`, is true: the tag 0x40 and a 1.
      return Buffer.from(answer).includes(Buffer.from([0x40, 1]));
    };
    expect(await isPinned()).toBe(false);
    await writeFile(join(folder, 'conf.d/50-pinned-images'), pinnedDropIn([image]) ?? '');
    daemon?.kill('SIGHUP');
    for (let count = 0; count < 50 && !(await isPinned()); count++) await sleep(100);
    expect(await isPinned(), output).toBe(true);
  });
});

async function writeConf(folder: string, { port, pinns }: { readonly port: number; readonly pinns: string }) {
  const at = (name: string) => join(folder, name);
  for (const name of ['conf.d', 'cni', 'hooks']) await mkdir(at(name));
  await writeFile(at('registries.conf'), `[[registry]]\nlocation = "127.0.0.1:${port}"\ninsecure = true\n`);
  await writeFile(at('policy.json'), '{"default": [{"type": "insecureAcceptAnything"}]}');
  const text = `[crio]
root = "${at('root')}"
runroot = "${at('run')}"
storage_driver = "vfs"
log_dir = "${at('log')}"
version_file = "${at('version')}"
clean_shutdown_file = "${at('clean')}"
[crio.api]
listen = "${at('crio.sock')}"
stream_port = "0"
[crio.runtime]
conmon_cgroup = "pod"
cgroup_manager = "cgroupfs"
default_runtime = "runc"
namespaces_dir = "${at('ns')}"
pinns_path = "${pinns}"
hooks_dir = ["${at('hooks')}"]
container_exits_dir = "${at('exits')}"
container_attach_socket_dir = "${at('attach')}"
apparmor_profile = "unconfined"
[crio.runtime.runtimes.runc]
runtime_path = "/usr/sbin/runc"
runtime_root = "${at('runc')}"
monitor_path = "/usr/bin/conmon"
[crio.image]
signature_policy = "${at('policy.json')}"
signature_policy_dir = "${at('policies')}"
[crio.network]
network_dir = "${at('cni')}"
plugin_dirs = ["${at('cni')}"]
`;
  const conf = at('crio.conf');
  await writeFile(conf, text);
  return conf;
}
