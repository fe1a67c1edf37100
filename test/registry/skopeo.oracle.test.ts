/** What people do with skopeo, against our registry; and what our client does, against what skopeo left there. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  digestOf,
  type ImageReference,
  parseImageReference,
  pullTree,
  pushImage,
} from '../../src/images/index.ts';
import { osImage } from './base-os.ts';
import { client, type RunningRegistry, startOurs } from './registries.ts';
import { lacks, ok, run } from './tools.ts';

function reference(text: string): ImageReference {
  const outcome = parseImageReference(text);
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
  return outcome.value;
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe.skipIf(lacks('skopeo'))('skopeo with our registry', () => {
  let registry: RunningRegistry;
  let folder: string;
  let top: string;
  const skopeo = (...args: readonly string[]) => ok('skopeo', args);
  const there = (name: string) => `docker://${registry.host}/${name}`;

  beforeAll(async () => {
    registry = await startOurs();
    folder = await mkdtemp(join(tmpdir(), 'millwright-skopeo-'));
    const image = await osImage();
    top = image.top.descriptor.digest;
    await pushImage(client(), reference(`${registry.host}/os/base:v1`), image);
  });
  afterAll(async () => {
    await registry.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('inspects the image for an architecture, with its labels', async () => {
    const args = ['inspect', '--tls-verify=false', '--override-arch=arm64', '--override-os=linux'];
    const inspected = JSON.parse(await skopeo(...args, there('os/base:v1')));
    expect(inspected).toMatchObject({
      Digest: top,
      RepoTags: ['v1'],
      Architecture: 'arm64',
      Os: 'linux',
      Created: '2026-01-01T00:00:00Z',
      Labels: { 'containers.bootc': '1', 'ostree.linux': '6.12.0-1.aarch64', version: '1.20260101.0' },
    });
  });

  it('copies an index with all its images to a folder and back, with the same digest', async () => {
    const path = `oci:${join(folder, 'all')}:v1`;
    await skopeo('copy', '--all', '--src-tls-verify=false', there('os/base:v1'), path);
    await skopeo('copy', '--all', '--dest-tls-verify=false', path, there('copied/base:v2'));
    expect((await client().resolve(reference(`${registry.host}/copied/base:v2`))).digest).toBe(top);
  });

  it('copies a single image to a plain folder, byte by byte what we built', async () => {
    const path = join(folder, 'plain');
    const args = ['copy', '--src-tls-verify=false', '--override-arch=amd64', '--override-os=linux'];
    await skopeo(...args, there('os/base:v1'), `dir:${path}`);
    const bytes = await readFile(join(path, 'manifest.json'));
    const image = await osImage();
    expect(digestOf(new Uint8Array(bytes))).toBe(image.manifests[0]?.descriptor.digest);
  });

  it('pushes in the format of Docker, which our client reads', async () => {
    const path = `oci:${join(folder, 'all')}:v1`;
    const args = ['--format=v2s2', '--override-arch=amd64', '--override-os=linux', '--dest-tls-verify=false'];
    await skopeo('copy', ...args, path, there('docker/base:v1'));
    const platform = { os: 'linux', architecture: 'amd64' };
    const { image, tree } = await pullTree(client(), reference(`${registry.host}/docker/base:v1`), platform);
    expect(image.manifest.mediaType).toBe('application/vnd.docker.distribution.manifest.v2+json');
    const release = tree.get('usr/lib/os-release');
    expect(release?.kind === 'file' && decode(release.content)).toContain('VARIANT_ID=coreos');
  });

  it('mounts blobs from another repository of the same registry', async () => {
    const args = ['copy', '--all', '--src-tls-verify=false', '--dest-tls-verify=false'];
    await skopeo(...args, there('os/base:v1'), there('mounted/base:v1'));
    expect((await client().resolve(reference(`${registry.host}/mounted/base:v1`))).digest).toBe(top);
  });

  it('lists tags and deletes an image, which then is unknown', async () => {
    await skopeo(
      'copy',
      '--all',
      '--src-tls-verify=false',
      '--dest-tls-verify=false',
      there('os/base:v1'),
      there('gone/base:v1'),
    );
    expect(JSON.parse(await skopeo('list-tags', '--tls-verify=false', there('gone/base')))).toEqual({
      Repository: `${registry.host}/gone/base`,
      Tags: ['v1'],
    });
    await skopeo('delete', '--tls-verify=false', there('gone/base:v1'));
    const { code, stderr } = await run('skopeo', ['inspect', '--tls-verify=false', there('gone/base:v1')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('manifest unknown')]);
  });

  it('reports a missing image like our client', async () => {
    const { stderr } = await run('skopeo', ['inspect', '--tls-verify=false', there('os/base:v9')]);
    // This version prints the code and the message, which are equal; newer ones print them once, as we do.
    const ours = `reading manifest v9 in ${registry.host}/os/base: manifest unknown`;
    expect(stderr).toContain(ours);
    await expect(client().fetchManifest(reference(`${registry.host}/os/base:v9`))).rejects.toMatchObject({
      kind: 'stalled',
      reason: 'ManifestUnknown',
      message: ours,
    });
  });

  it('reports an unreachable registry like our client', async () => {
    const { stderr } = await run('skopeo', ['inspect', '--tls-verify=false', 'docker://127.0.0.1:9/a:b']);
    const ours =
      'pinging container registry 127.0.0.1:9: Get "http://127.0.0.1:9/v2/": dial tcp 127.0.0.1:9: connect: connection refused';
    expect(stderr).toContain(JSON.stringify(ours).slice(1, -1));
    await expect(
      client({ limits: { attempts: 1 } }).resolve(reference('127.0.0.1:9/a:b')),
    ).rejects.toMatchObject({
      kind: 'transient',
      reason: 'Unreachable',
      message: ours,
    });
  });
});
