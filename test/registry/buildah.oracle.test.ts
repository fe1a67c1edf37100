/** Images that buildah makes from ours, over our registry. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pullTree, pushImage } from '../../src/images/index.ts';
import { osImage } from './base-os.ts';
import { client, type RunningRegistry, startOurs } from './registries.ts';
import { lacks, ok } from './tools.ts';

// Mounting what is built takes root, or a user namespace that not every machine lets one make.
const isRoot = process.getuid?.() === 0;

describe.skipIf(lacks('buildah') || !isRoot)('buildah with our registry', () => {
  let registry: RunningRegistry;
  let folder: string;
  const buildah = (...args: readonly string[]) =>
    ok('buildah', [
      '--root',
      join(folder, 'root'),
      '--runroot',
      join(folder, 'run'),
      '--storage-driver',
      'vfs',
      ...args,
    ]);

  beforeAll(async () => {
    registry = await startOurs();
    folder = await mkdtemp(join(tmpdir(), 'millwright-buildah-'));
    await pushImage(client(), { host: registry.host, repository: 'os/base', tag: 'v1' }, await osImage());
  });
  afterAll(async () => {
    await registry.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('builds on our image and pushes what our client reads', async () => {
    const containerfile = join(folder, 'Containerfile');
    await writeFile(join(folder, 'tool'), '#!/bin/sh\n');
    await writeFile(
      containerfile,
      [
        `FROM ${registry.host}/os/base:v1`,
        'COPY --chmod=0755 tool /usr/bin/tool',
        'LABEL made.by=buildah',
        '',
      ].join('\n'),
    );
    const args = ['bud', '--isolation', 'chroot', '--tls-verify=false', '--arch', 'amd64', '--layers'];
    await buildah(...args, '-t', 'derived', '-f', containerfile, folder);
    await buildah('push', '--tls-verify=false', 'derived', `docker://${registry.host}/os/derived:v2`);

    const reference = { host: registry.host, repository: 'os/derived', tag: 'v2' };
    const { image, tree } = await pullTree(client(), reference, { os: 'linux', architecture: 'amd64' });
    expect(image.manifest.layers.length).toBe(2);
    expect(image.config.labels).toMatchObject({ 'made.by': 'buildah', 'containers.bootc': '1' });
    expect(tree.get('usr/bin/tool')).toMatchObject({ kind: 'file' });
    expect(tree.get('usr/lib/os-release')).toMatchObject({ kind: 'file' });
  });

  it('pulls what it pushed', async () => {
    await buildah('rmi', '--all', '--force');
    const pulled = await buildah(
      'pull',
      '-q',
      '--tls-verify=false',
      `docker://${registry.host}/os/derived:v2`,
    );
    const inspected = JSON.parse(await buildah('inspect', '--type', 'image', pulled.trim()));
    expect(inspected.Docker.config.Labels['made.by']).toBe('buildah');
  });

  it('removes files, which are removed for our client, too', async () => {
    const from = `${registry.host}/os/base:v1`;
    const container = (await buildah('from', '-q', '--tls-verify=false', '--arch', 'amd64', from)).trim();
    const mounted = (await buildah('mount', container)).trim();
    await rm(join(mounted, 'etc/crio'), { recursive: true });
    await rm(join(mounted, 'usr/lib/systemd/system/chronyd.service'));
    await buildah('umount', container);
    await buildah('commit', '-q', container, 'smaller');
    await buildah('push', '-q', '--tls-verify=false', 'smaller', `docker://${registry.host}/os/smaller:v1`);
    const reference = { host: registry.host, repository: 'os/smaller', tag: 'v1' };
    const { tree } = await pullTree(client(), reference, { os: 'linux', architecture: 'amd64' });
    expect(tree.has('usr/lib/systemd/system/chronyd.service')).toBe(false);
    expect([...tree.keys()].filter((path) => path.startsWith('etc/crio'))).toEqual([]);
    expect(tree.has('usr/lib/systemd/system/crio.service')).toBe(true);
  });
});
