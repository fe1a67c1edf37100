/** A containerd of its own for a test, in a temporary folder. Needs root. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Ran, run } from './tools.ts';

/** Of a pull secret. */
type Credentials = { readonly user: string; readonly password: string };

export interface Containerd {
  /** Pulls an image by the `hosts.toml` files of a folder, into an empty store. */
  fetch(reference: string, hostsFolder: string): Promise<Ran>;
  /** Pulls as a kubelet does, by the `config_path` that it was started with. The message of the error where it fails. */
  pullByCri(reference: string, credentials?: Credentials): Promise<string | undefined>;
  /** Writes `hosts.toml` files below a new folder, which is returned. */
  writeHosts(files: readonly { readonly path: string; readonly text: string }[]): Promise<string>;
  stop(): Promise<void>;
}

type ContainerdOptions = {
  /** The folder of `hosts.toml` files that the CRI plugin reads; by default there is no CRI plugin. */
  readonly configPath?: string;
};

/** Nothing is run; each namespace downloads anew. */
const CONFIG = (folder: string, { configPath }: ContainerdOptions) => `version = 2
root = "${folder}/root"
state = "${folder}/state"
disabled_plugins = [${configPath === undefined ? '"io.containerd.grpc.v1.cri"' : ''}]
[grpc]
address = "${folder}/containerd.sock"
[plugins."io.containerd.metadata.v1.bolt"]
content_sharing_policy = "isolated"
${configPath === undefined ? '' : CRI(configPath)}`;

/** Without a snapshotter that mounts file systems. */
const CRI = (configPath: string) => `[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "native"
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "${configPath}"
`;

const ATTEMPTS = 200;

export async function startContainerd(options: ContainerdOptions = {}): Promise<Containerd> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-containerd-'));
  await writeFile(join(folder, 'config.toml'), CONFIG(folder, options));
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
    pullByCri: (reference, credentials) => pullImage(join(folder, 'containerd.sock'), reference, credentials),
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

/** One call of `runtime.v1.ImageService/PullImage`, as bytes: there is no gRPC library here. */
async function pullImage(
  socket: string,
  reference: string,
  credentials?: Credentials,
): Promise<string | undefined> {
  const session = connectHttp2('http://localhost', { createConnection: () => connect(socket) });
  try {
    const request = session.request({
      ':method': 'POST',
      ':path': '/runtime.v1.ImageService/PullImage',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const trailers = once(request, 'trailers');
    const ended = once(request, 'end');
    request.resume();
    request.end(framed(pullRequest(reference, credentials)));
    const [headers] = (await trailers) as [{ readonly [name: string]: unknown }];
    await ended;
    if (headers['grpc-status'] === '0') return undefined;
    return decodeURIComponent(String(headers['grpc-message']));
  } finally {
    session.close();
  }
}

/** `image` is the first field of the first one; user and password are those of the second one. */
function pullRequest(reference: string, credentials: Credentials | undefined): Uint8Array {
  const utf8 = new TextEncoder();
  const image = field(1, field(1, utf8.encode(reference)));
  if (credentials === undefined) return image;
  const { user, password } = credentials;
  const auth = Uint8Array.of(...field(1, utf8.encode(user)), ...field(2, utf8.encode(password)));
  return Uint8Array.of(...image, ...field(2, auth));
}

/** A text, or another message. */
function field(number: number, bytes: Uint8Array): Uint8Array {
  if (bytes.length > 127) throw new Error('a longer name needs a longer length');
  return Uint8Array.of(number * 8 + 2, bytes.length, ...bytes);
}

/** Not compressed, with its length. */
function framed(message: Uint8Array): Uint8Array {
  return Uint8Array.of(0, 0, 0, 0, message.length, ...message);
}
