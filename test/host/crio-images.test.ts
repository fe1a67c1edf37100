/** What is asked of CRI-O and podman about images, and what is made of the answers; a real CRI-O is in `crio.oracle.test.ts`. */
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { createMemoryDisk } from '../../src/embedded/sandbox/index.ts';
import type { CommandResult } from '../../src/node/host/command-runner.ts';
import type { ManifestReader } from '../../src/node/host/cri/registry-manifests.ts';
import { createLinuxHost, createLinuxImages, NO_SPACE } from '../../src/node/host/index.ts';
import { seededRandom } from '../support/virtual-env.ts';

const NEVER = new AbortController().signal;
const DIGEST = `sha256:${'1'.repeat(64)}`;
const IMAGE = `registry.example.com/team/app@${DIGEST}`;
const bytes = (text: string) => new TextEncoder().encode(text);

type Given = {
  readonly podman?: (image: string) => Partial<CommandResult>;
  readonly call?: (method: string, request: Uint8Array) => Promise<Uint8Array>;
  readonly files?: { readonly [path: string]: string };
  readonly readManifest?: ManifestReader;
};

async function aHost({ podman, call, files = {}, readManifest = async () => undefined }: Given) {
  const host = createLinuxHost({
    disk: createMemoryDisk(),
    random: seededRandom(3),
    processId: 1,
    runner: {
      async run(command, args) {
        const found = command === 'podman' ? podman?.(args.at(-1) ?? '') : undefined;
        return { stdout: '', stderr: '', exitCode: 127, ...found };
      },
    },
    images: (machine) =>
      createLinuxImages({
        ...machine,
        call: call ?? (() => Promise.reject(new Failure('transient', 'Unreachable', 'no CRI-O'))),
        architecture: 'arm64',
        readManifest,
      }),
  });
  for (const [path, text] of Object.entries(files)) {
    await host.files.write(path, { bytes: bytes(text), mode: 0o600 });
  }
  return host;
}

const layers = (...sizes: readonly number[]) =>
  JSON.stringify({ layers: sizes.map((size) => ({ digest: `sha256:${size}`, size })) });

describe('the size of an image', () => {
  it('is that of its layers, as podman lists them', async () => {
    const host = await aHost({ podman: () => ({ stdout: layers(5, 7), exitCode: 0 }) });
    expect(await host.images.inspect(IMAGE, NEVER)).toEqual([
      { digest: 'sha256:5', sizeBytes: 5 },
      { digest: 'sha256:7', sizeBytes: 7 },
    ]);
  });

  it('is that of the image for the architecture of the machine, where it has several', async () => {
    const platform = (architecture: string) => ({ os: 'linux', architecture });
    const list = {
      manifests: [
        { digest: 'sha256:amd', platform: platform('amd64') },
        { digest: 'sha256:arm', platform: platform('arm64') },
      ],
    };
    const host = await aHost({
      podman: (image) => ({
        stdout: image === IMAGE ? JSON.stringify(list) : image.endsWith('@sha256:arm') ? layers(9) : '',
        exitCode: 0,
      }),
    });
    expect(await host.images.inspect(IMAGE, NEVER)).toEqual([{ digest: 'sha256:9', sizeBytes: 9 }]);
  });

  it('is read from its registry without podman, or unknown', async () => {
    const host = await aHost({ readManifest: async (image) => [{ digest: image, sizeBytes: 3 }] });
    expect(await host.images.inspect(IMAGE, NEVER)).toEqual([{ digest: IMAGE, sizeBytes: 3 }]);
    expect(await (await aHost({})).images.inspect(IMAGE, NEVER)).toEqual([]);
  });

  it('is left to podman where there is one, also where that fails', async () => {
    const readManifest = () => Promise.reject(new Error('it was asked'));
    const host = await aHost({
      readManifest,
      podman: () => ({ stderr: 'no route to host\n', exitCode: 125 }),
    });
    await expect(host.images.inspect(IMAGE, NEVER)).rejects.toThrow('no route to host');
  });

  it('fails with the answer of the registry', async () => {
    const host = await aHost({ podman: () => ({ stderr: 'Error: manifest unknown\n', exitCode: 125 }) });
    await expect(host.images.inspect(IMAGE, NEVER)).rejects.toThrow('Error: manifest unknown');
  });
});

describe('a pull by CRI-O', () => {
  const auth = (user: string) => ({ auth: btoa(`${user}:secret`) });
  const FILES = {
    '/var/lib/kubelet/config.json': JSON.stringify({
      auths: { 'mirror.example.com': auth('of-mirror'), 'registry.example.com/team': auth('of-source') },
    }),
  };

  it.each([
    ['of its registry', FILES, 'of-source'],
    [
      'of its mirror, where it has one',
      {
        ...FILES,
        '/etc/containers/registries.conf':
          '[[registry]]\nlocation = "registry.example.com"\n[[registry.mirror]]\nlocation = "mirror.example.com"\n',
      },
      'of-mirror',
    ],
    ['of nobody, where there are none', {}, undefined],
  ])('has the credentials %s', async (_, files, user) => {
    const requests: string[] = [];
    const host = await aHost({
      files,
      async call(method, request) {
        requests.push(`${method} ${new TextDecoder().decode(request)}`);
        return new Uint8Array();
      },
    });
    await host.images.pull(IMAGE, NEVER);
    const [request = ''] = requests;
    expect(request).toContain('ImageService/PullImage');
    expect(request).toContain(IMAGE);
    expect(/of-(mirror|source)/.exec(request)?.[0]).toBe(user);
  });

  it('says where the disk is full', async () => {
    const message = 'writing blob: write /var/tmp/x: no space left on device';
    const host = await aHost({ call: () => Promise.reject(new Failure('transient', 'Grpc2', message)) });
    await expect(host.images.pull(IMAGE, NEVER)).rejects.toMatchObject({ reason: NO_SPACE, message });
  });
});

describe('a machine', () => {
  it.each([
    ['with CRI-O', { '/run/crio/crio.sock': '' }, undefined],
    [
      'with containerd',
      { '/run/containerd/containerd.sock': '' },
      'pinning images needs CRI-O, and the container runtime of this node is containerd',
    ],
    ['with neither', {}, 'pinning images needs CRI-O, and there is no /run/crio/crio.sock'],
  ])('%s can pin images, or says why not', async (_, files, problem) => {
    expect(await (await aHost({ files })).images.pinningProblem()).toBe(problem);
  });
});

describe('an answer that is no protobuf', () => {
  it.each([[[]], [[0x0a]], [[0x0a, 0xff]], [[0xff, 0xff, 0xff]], [[0x0a, 0x05, 1]]])(
    'means that there is no such image: %j',
    async (answer) => {
      const host = await aHost({ call: async () => new Uint8Array(answer) });
      expect(await host.images.isPresent(IMAGE, NEVER)).toBe(false);
      expect(await host.images.freeBytes()).toBeUndefined();
    },
  );
});
