/** A containerd of its own for a test, in a temporary folder. Needs root. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Ran, run } from './tools.ts';

export interface Containerd {
  /** Pulls an image by the `hosts.toml` files of a folder, into an empty store. */
  fetch(reference: string, hostsFolder: string): Promise<Ran>;
  /** Writes `hosts.toml` files below a new folder, which is returned. */
  writeHosts(files: readonly { readonly path: string; readonly text: string }[]): Promise<string>;
  stop(): Promise<void>;
}

/** Nothing is run, so no snapshotter is needed; each namespace downloads anew. */
const CONFIG = (folder: string) => `version = 2
root = "${folder}/root"
state = "${folder}/state"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
address = "${folder}/containerd.sock"
[plugins."io.containerd.metadata.v1.bolt"]
content_sharing_policy = "isolated"
`;

const ATTEMPTS = 200;

export async function startContainerd(): Promise<Containerd> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-containerd-'));
  await writeFile(join(folder, 'config.toml'), CONFIG(folder));
  const child = spawn('containerd', ['--config', join(folder, 'config.toml')], { stdio: 'ignore' });
  const ended = once(child, 'close');
  ended.catch(() => undefined);
  const ctr = (...args: readonly string[]) =>
    run('ctr', ['--address', join(folder, 'containerd.sock'), ...args]);
  for (let attempt = 0; (await ctr('version')).code !== 0; attempt++) {
    if (attempt === ATTEMPTS) throw new Error('containerd does not answer');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  let pulls = 0;
  return {
    fetch: (reference, hostsFolder) =>
      ctr('--namespace', `pull-${pulls++}`, 'content', 'fetch', '--hosts-dir', hostsFolder, reference),
    async writeHosts(files) {
      const hosts = await mkdtemp(join(folder, 'hosts-'));
      for (const { path, text } of files) {
        await mkdir(dirname(join(hosts, path)), { recursive: true });
        await writeFile(join(hosts, path), text);
      }
      return hosts;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
