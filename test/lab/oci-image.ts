/** Container images made of folders. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from './run-tool.ts';

export type Layer = {
  readonly path: string;
  readonly digest: string;
  readonly diffId: string;
  readonly sizeBytes: number;
};

export async function packLayer(root: string, path: string): Promise<Layer> {
  const flags = '--sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner';
  // The diff ID of a layer is the digest of the uncompressed archive.
  const pack = `tar -C "$1" ${flags} -c . | tee "$2.tar" | gzip -1n >"$2"; sha256sum <"$2.tar"; sha256sum <"$2"; stat -c %s "$2"; rm "$2.tar"`;
  const output = await runTool(['bash', '-ec', `set -o pipefail; ${pack}`, 'pack', root, path]);
  const [diff = '', packed = '', size = ''] = output.split('\n');
  const digestOf = (line: string) => `sha256:${line.split(' ')[0] ?? ''}`;
  return { path, digest: digestOf(packed), diffId: digestOf(diff), sizeBytes: Number(size) };
}

type ImageToWrite = {
  /** What containers of it are started with, and its labels. */
  readonly config: object;
  /** The lowest first. */
  readonly layers: readonly Layer[];
};

/** In the form that `skopeo copy dir:…` takes. */
export async function writeImage(folder: string, { config, layers }: ImageToWrite): Promise<void> {
  await mkdir(folder);
  const configFile = JSON.stringify({
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    // Optional, but `buildah` does not build on an image without.
    history: layers.map(() => ({ created: '1970-01-01T00:00:00Z', created_by: 'lab' })),
  });
  const media = 'application/vnd.oci.image';
  const configDigest = createHash('sha256').update(configFile).digest('hex');
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: `${media}.manifest.v1+json`,
    config: {
      mediaType: `${media}.config.v1+json`,
      digest: `sha256:${configDigest}`,
      size: Buffer.byteLength(configFile),
    },
    layers: layers.map(({ digest, sizeBytes }) => ({
      mediaType: `${media}.layer.v1.tar+gzip`,
      digest,
      size: sizeBytes,
    })),
  });
  await writeFile(join(folder, 'version'), 'Directory Transport Version: 1.1\n');
  await writeFile(join(folder, 'manifest.json'), manifest);
  await writeFile(join(folder, configDigest), configFile);
  for (const { path, digest } of layers) {
    await runTool(['ln', path, join(folder, digest.replace('sha256:', ''))]);
  }
}
