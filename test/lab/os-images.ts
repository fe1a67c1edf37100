/**
 * An OS in two versions: container images in the form that `skopeo` copies from a folder, and a repository of
 * OSTree with the first of them, which machines are installed from.
 *
 * They are made once and kept in a cache, in a folder whose name changes with the way they are made and with the packages
 * that they are made of.
 */
import { createHash } from 'node:crypto';
import {
  access,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { labCacheFolder } from './cache-folder.ts';
import { machineRootRecipe, makeMachineRoot } from './machine-root.ts';
import { packLayer, writeImage } from './oci-image.ts';
import { LAB_FOLDER, OS_LINKS, type OsKind, osFiles } from './os-files.ts';
import { runTool } from './run-tool.ts';

export const OS_VERSIONS = ['1.0', '2.0'] as const;
export type OsVersion = (typeof OS_VERSIONS)[number];

export type OsImages = {
  /** Of one version: what `skopeo copy dir:…` takes. */
  readonly imageFolder: (version: OsVersion) => string;
  readonly digest: (version: OsVersion) => Promise<string>;
  /** A repository, and the commit in it that holds the first version. */
  readonly repository: string;
  readonly installedRef: string;
};

const INSTALLED_REF = 'os/installed';

export async function osImages(kind: OsKind): Promise<OsImages> {
  const folder = join(labCacheFolder(), `os-${await recipeDigest(kind)}`);
  if (!(await isThere(folder))) await makeOsImages(folder, kind);
  await forgetOthers(folder);
  const imageFolder = (version: OsVersion) => join(folder, `image-${version}`);
  return {
    imageFolder,
    digest: async (version) =>
      `sha256:${createHash('sha256')
        .update(await readFile(join(imageFolder(version), 'manifest.json')))
        .digest('hex')}`,
    repository: join(folder, 'repo'),
    installedRef: INSTALLED_REF,
  };
}

/** Removes unused ones: each update of a package creates a new one. */
async function forgetOthers(used: string): Promise<void> {
  const nowMs = Date.now();
  await utimes(used, nowMs / 1000, nowMs / 1000);
  for (const name of await readdir(dirname(used))) {
    const path = join(dirname(used), name);
    const info = name.startsWith('os-') ? await stat(path).catch(() => undefined) : undefined;
    if (info !== undefined && nowMs - info.mtimeMs > KEEP_MS)
      await rm(path, { recursive: true, force: true });
  }
}

const KEEP_MS = 7 * 24 * 60 * 60_000;

async function makeOsImages(folder: string, kind: OsKind): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  // Renaming is atomic: a concurrent run finds all of them or none.
  const unfinished = await mkdtemp(`${folder}.`);
  try {
    const root = join(unfinished, 'root');
    await mkdir(root);
    await makeMachineRoot(root, kind);
    const base = await packLayer(root, join(unfinished, 'base.tar.gz'));
    const program = await bundleRpmOstree();
    for (const version of OS_VERSIONS) {
      const overlay = join(unfinished, `overlay-${version}`);
      await layOut(overlay, { version, program, kind });
      const layer = await packLayer(overlay, join(unfinished, `overlay-${version}.tar.gz`));
      const config = { Labels: { 'org.opencontainers.image.version': version } };
      await writeImage(join(unfinished, `image-${version}`), { config, layers: [base, layer] });
    }
    await commitInstalled(unfinished, { root, overlay: join(unfinished, `overlay-${OS_VERSIONS[0]}`) });
    const kept = ['repo', ...OS_VERSIONS.map((version) => `image-${version}`)];
    for (const name of await readdir(unfinished)) {
      if (!kept.includes(name)) await rm(join(unfinished, name), { recursive: true, force: true });
    }
    await rename(unfinished, folder).catch(async (error: unknown) => {
      if (!(await isThere(folder))) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Only what differs between versions: the rest is a layer that they share. */
async function layOut(
  root: string,
  os: { readonly version: string; readonly program: string; readonly kind: OsKind },
): Promise<void> {
  const program = { path: '/usr/bin/rpm-ostree', text: os.program, mode: 0o755 };
  for (const { path, text, mode = 0o644 } of [
    ...osFiles(os.version, os.kind.users),
    ...os.kind.files,
    program,
  ]) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text, { mode });
  }
  for (const { path, target } of OS_LINKS) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await symlink(target, join(root, path));
  }
}

/** As an image is imported by a machine itself; see `rpm-ostree/pull-image.ts`. */
async function commitInstalled(
  folder: string,
  { root, overlay }: { readonly root: string; readonly overlay: string },
): Promise<void> {
  const repository = join(folder, 'repo');
  await runTool(['ostree', 'init', `--repo=${repository}`, '--mode=bare']);
  const merge = `cp -a --remove-destination "$2/." "$1"; cd "$1"; mv etc usr/etc; mkdir var run dev proc sys tmp boot sysroot`;
  await runTool(['sh', '-ec', merge, 'merge', root, overlay]);
  await runTool([
    'ostree',
    'commit',
    `--repo=${repository}`,
    `--branch=${INSTALLED_REF}`,
    `--tree=dir=${root}`,
    '--owner-uid=0',
    '--owner-gid=0',
    '--no-xattrs',
  ]);
}

const here = dirname(fileURLToPath(import.meta.url));

async function bundleRpmOstree(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(here, 'rpm-ostree/main.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    banner: { js: `#!${LAB_FOLDER}/node` },
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('esbuild wrote nothing');
  return file.text;
}

async function recipeDigest(kind: OsKind): Promise<string> {
  const hash = createHash('sha256')
    .update(await machineRootRecipe(kind))
    .update(JSON.stringify([kind.files, kind.users]));
  for (const name of ['oci-image.ts', 'os-files.ts', 'os-images.ts', 'os-name.ts'])
    hash.update(await readFile(join(here, name)));
  return hash
    .update(await bundleRpmOstree())
    .digest('hex')
    .slice(0, 16);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
