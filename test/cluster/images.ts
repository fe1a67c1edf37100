/** Images for pods: small ones made of this computer's busybox, and Millwright's own. */
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packLayer, writeImage } from '../lab/oci-image.ts';
import { runTool } from '../lab/run-tool.ts';
import type { RegistryName } from './addresses.ts';
import type { ClusterRegistry } from './registries.ts';

const REGISTRY: RegistryName = 'registry.millwright.dev';
const PAUSE = 'lab/pause:1';
const BUSYBOX = 'lab/busybox:1';

/** What holds the namespaces of a pod. */
export const PAUSE_IMAGE = `${REGISTRY}/${PAUSE}`;
/** For pods of tests: a shell and small programs. */
export const BUSYBOX_IMAGE = `${REGISTRY}/${BUSYBOX}`;

const packageRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const APPLETS = ['sh', 'sleep', 'cat', 'echo', 'hostname', 'httpd', 'wget', 'ls', 'id', 'env', 'true'];
const IMAGE_LIMIT_MS = 300_000;

const PAUSE_SCRIPT = `#!/bin/sh
trap 'exit 0' TERM INT
while :; do sleep 3600 & wait "$!"; done
`;

export async function pushSmallImages(registry: ClusterRegistry, folder: string): Promise<void> {
  await pushBusybox(registry, { folder: join(folder, 'pause'), name: PAUSE, entrypoint: '/pause' });
  await pushBusybox(registry, { folder: join(folder, 'busybox'), name: BUSYBOX });
}

export type BusyboxImage = {
  /** Is made, and left behind. */
  readonly folder: string;
  /** In the registry, with its tag. */
  readonly name: string;
  readonly entrypoint?: string;
};

/** Returns its digest. One with another entrypoint is another image. */
export async function pushBusybox(
  registry: ClusterRegistry,
  { folder, name, entrypoint }: BusyboxImage,
): Promise<string> {
  const root = join(folder, 'root');
  await mkdir(join(root, 'bin'), { recursive: true });
  for (const empty of ['tmp', 'etc', 'proc', 'sys', 'dev']) await mkdir(join(root, empty));
  const busybox = (await runTool(['sh', '-c', 'command -v busybox'])).trim();
  await copyFile(busybox, join(root, 'bin/busybox'));
  for (const applet of APPLETS) await symlink('busybox', join(root, 'bin', applet));
  await writeFile(join(root, 'pause'), PAUSE_SCRIPT);
  await chmod(join(root, 'pause'), 0o755);
  const layers = [await packLayer(root, join(folder, 'layer.tar.gz'))];
  const started = entrypoint === undefined ? { Cmd: ['sh'] } : { Entrypoint: [entrypoint] };
  const image = join(folder, 'image');
  await writeImage(image, { config: { Env: ['PATH=/bin'], ...started }, layers });
  return await registry.push(`dir:${image}`, name);
}

/** Millwright's image, or the builder's, by its default name: what `install` writes into its manifests. */
export async function pushMillwright(
  registry: ClusterRegistry,
  { folder, flags = [] }: { readonly folder: string; readonly flags?: readonly string[] },
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const archive = join(folder, 'millwright.tar');
  const command = ['npm', '--silent', 'run', 'image', '--', '--output', archive, ...flags];
  const said = await runTool(['sh', '-c', 'cd "$1"; shift; "$@"', 'image', packageRoot, ...command], {
    limitMs: IMAGE_LIMIT_MS,
  });
  const name = new RegExp(`${REGISTRY}/(\\S+:[^\\s,]+)`).exec(said)?.[1];
  if (name === undefined) throw new Error(`npm run image does not say which image it made: ${said}`);
  await registry.push(`oci-archive:${archive}`, name);
  return `${REGISTRY}/${name}`;
}
