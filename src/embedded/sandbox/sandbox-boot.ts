/**
 * Shutdown and boot of a sandbox: `ostree-finalize-staged` at an orderly shutdown, then the boot loader and initramfs.
 * Every step is idempotent, since the power may fail in any of them.
 *
 *     staged ──shut down──> finalized ──boot──> booted, and the previous deployment becomes the rollback
 *        └──power cut──> lost
 */
import type { Random } from '../../base/env.ts';
import type { Disk } from '../../node/host/index.ts';
import {
  type ImageTree,
  inFolder,
  type PulledImage,
  packTree,
  systemTree,
  unpackTree,
} from '../../node/host/index.ts';
import { emptyFolder, readTree, removeTree, replaceTree, withFolders, writeTree } from './disk-trees.ts';
import { mergeEtc } from './merge-etc.ts';
import {
  MACHINE,
  ROOT,
  type SandboxDeployment,
  type SandboxState,
  type StateStore,
} from './sandbox-state.ts';

const IMAGES = `${MACHINE}/images`;
const ETCS = `${MACHINE}/etc`;
const MAX_IMAGE_BYTES = 256 * 1024 ** 2;

/** Like on image-based systems, persistent data is below /var. */
const LINKS: Readonly<Record<string, string>> = {
  bin: 'usr/bin',
  sbin: 'usr/sbin',
  lib: 'usr/lib',
  lib64: 'usr/lib64',
  home: 'var/home',
  root: 'var/roothome',
  opt: 'var/opt',
  srv: 'var/srv',
  mnt: 'var/mnt',
};
const FOLDERS = ['boot', 'dev', 'etc', 'proc', 'run', 'sys', 'sysroot', 'tmp', 'usr', 'var'];
const VAR_FOLDERS = ['home', 'roothome', 'opt', 'srv', 'mnt', 'usrlocal', 'lib', 'log', 'tmp'];

/** Keeps the files of an image while a deployment refers to it, or a download does. */
export async function keepImage(
  store: StateStore,
  image: Pick<PulledImage, 'digest' | 'tree'>,
): Promise<void> {
  await store.writeFile(imagePath(image.digest), packTree(systemTree(image.tree)));
}

/** Installs the machine. Restarts from scratch if interrupted. */
export async function installImage(
  store: StateStore,
  { image, state }: { readonly image: PulledImage; readonly state: SandboxState },
): Promise<void> {
  const { disk } = store;
  await removeTree(disk, ROOT);
  await removeTree(disk, MACHINE);
  await disk.makeFolder(ROOT, 0o755);
  for (const name of FOLDERS) {
    if (name !== 'usr' && name !== 'etc') await disk.makeFolder(inFolder(ROOT, name), 0o755);
  }
  for (const name of VAR_FOLDERS) await disk.makeFolder(`${ROOT}/var/${name}`, 0o755);
  for (const [name, target] of Object.entries(LINKS)) await disk.makeLink(inFolder(ROOT, name), { target });
  await keepImage(store, image);
  const tree = systemTree(image.tree);
  await writeTree(disk, `${ROOT}/usr`, below(tree, '/usr'));
  await writeTree(disk, `${ROOT}/etc`, below(tree, '/usr/etc'));
  await makeHomes(disk, tree);
  for (const folder of [`${ROOT}/var/home`, `${ROOT}/var`, ROOT, '/']) await disk.syncFolder(folder);
  await store.write(state);
}

/** Of the users that log in, as an installer makes them. */
async function makeHomes(disk: Disk, tree: ImageTree): Promise<void> {
  const passwd = tree.get('/usr/etc/passwd');
  if (passwd?.kind !== 'file') return;
  for (const line of new TextDecoder().decode(passwd.bytes).split('\n')) {
    const [, , uid, gid, , home = ''] = line.split(':');
    const name = /^\/(?:var\/)?home\/([^/.][^/]*)$/.exec(home)?.[1];
    const owner = { uid: Number(uid), gid: Number(gid) };
    if (name === undefined || !(owner.uid >= FIRST_USER) || !Number.isInteger(owner.gid)) continue;
    const path = `${ROOT}/var/home/${name}`;
    await disk.makeFolder(path, 0o700);
    await disk.setOwner(path, owner);
  }
}

const FIRST_USER = 1000;

/** The end of an orderly shutdown. `problem` is an injected failure. */
export async function finalizeStaged(store: StateStore, problem?: string): Promise<void> {
  const { finalizeFailure: _, ...known } = await store.read();
  const state = { ...known, isDown: true };
  if (state.staged === undefined) return await store.write(state);
  if (problem !== undefined) {
    const { staged: _lost, ...rest } = state;
    return await store.write({ ...rest, finalizeFailure: problem });
  }
  const { disk } = store;
  const newDefaults = below(await readImage(disk, state.staged), '/usr/etc');
  const merged = mergeEtc({
    oldDefaults: await readTree(disk, `${ROOT}/usr/etc`),
    current: await readTree(disk, `${ROOT}/etc`),
    newDefaults: withFolders(newDefaults),
  });
  await removeTree(disk, etcPath(state.staged));
  await makeMachineFolder(disk, ETCS);
  await writeTree(disk, etcPath(state.staged), merged);
  const { staged, ...rest } = state;
  await store.write({ ...rest, finalized: staged });
}

/** From power-on to the first process. */
export async function bootSystem(store: StateStore, random: Pick<Random, 'uuid'>): Promise<SandboxState> {
  const { disk } = store;
  const { staged: _, isDown: _down, finalized, fetched = [], ...state } = await store.read();
  const bootId = random.uuid();
  if (finalized !== undefined) await takeOver(disk, { from: state.booted, to: finalized });
  const booted = finalized ?? state.booted;
  const rollback = finalized === undefined ? state.rollback : state.booted;
  await emptyFolder(disk, `${ROOT}/run`);
  await emptyFolder(disk, `${ROOT}/tmp`);
  await writeKernelFiles(disk, { bootId, booted });
  // What is booted is a deployment from now on.
  const stillFetched = fetched.filter(({ digest }) => digest !== booted.digest);
  const next = {
    ...state,
    bootId,
    booted,
    ...(rollback === undefined ? {} : { rollback }),
    ...(stillFetched.length === 0 ? {} : { fetched: stillFetched }),
  };
  await store.write(next);
  await dropUnused(store, next);
  await dropTemporary(disk);
  return next;
}

/** What a power cut left of an interrupted write. */
async function dropTemporary(disk: Disk): Promise<void> {
  for (const name of await disk.list(MACHINE)) {
    if (name.startsWith('.')) await removeTree(disk, inFolder(MACHINE, name));
  }
}

type Takeover = { readonly from: SandboxDeployment; readonly to: SandboxDeployment };

async function takeOver(disk: Disk, { from, to }: Takeover): Promise<void> {
  const etc = `${ROOT}/etc`;
  // Each rename is atomic, so the next boot sees which of them happened.
  if ((await disk.stat(etcPath(to))) !== undefined) {
    if ((await disk.stat(etcPath(from))) === undefined && (await disk.stat(etc)) !== undefined) {
      await disk.rename({ from: etc, to: etcPath(from) });
      await disk.syncFolder(ROOT);
      await disk.syncFolder(ETCS);
    }
    await removeTree(disk, etc);
    await disk.rename({ from: etcPath(to), to: etc });
    await disk.syncFolder(ROOT);
    await disk.syncFolder(ETCS);
  }
  if (from.digest === to.digest) return;
  await replaceTree(disk, `${ROOT}/usr`, below(await readImage(disk, to), '/usr'));
}

type Kernel = { readonly bootId: string; readonly booted: SandboxDeployment };

async function writeKernelFiles(disk: Disk, { bootId, booted }: Kernel): Promise<void> {
  const isFips = booted.kernelArguments.includes('fips=1');
  const files: Readonly<Record<string, string>> = {
    '/cmdline': `BOOT_IMAGE=/ostree/vmlinuz ${booted.kernelArguments.join(' ')}\n`,
    '/sys/crypto/fips_enabled': `${isFips ? 1 : 0}\n`,
    '/sys/kernel/random/boot_id': `${bootId}\n`,
  };
  const entry = (text: string) =>
    ({ kind: 'file', bytes: new TextEncoder().encode(text), mode: 0o444 }) as const;
  await removeTree(disk, `${ROOT}/proc`);
  await writeTree(
    disk,
    `${ROOT}/proc`,
    new Map(Object.entries(files).map(([path, text]) => [path, entry(text)])),
  );
  await disk.create(`${ROOT}/run/ostree-booted`, 0o644);
}

/** Removes images that are neither deployed nor fetched, and versions of /etc without a deployment. */
export async function dropUnused(store: StateStore, state: SandboxState): Promise<void> {
  const { disk } = store;
  const deployments = [state.booted, state.staged, state.rollback, state.finalized].filter(
    (one): one is SandboxDeployment => one !== undefined,
  );
  const images = [...deployments, ...(state.fetched ?? [])];
  await keepOnly(disk, IMAGES, new Set(images.map(({ digest }) => imagePath(digest))));
  const etcs = deployments.filter(({ id }) => id !== state.booted.id).map(etcPath);
  await keepOnly(disk, ETCS, new Set(etcs));
}

async function keepOnly(disk: Disk, folder: string, paths: ReadonlySet<string>): Promise<void> {
  if ((await disk.stat(folder)) === undefined) return;
  for (const name of await disk.list(folder)) {
    const path = inFolder(folder, name);
    if (!paths.has(path)) await removeTree(disk, path);
  }
}

export async function readImage(
  disk: Disk,
  { digest }: Pick<SandboxDeployment, 'digest'>,
): Promise<ImageTree> {
  return unpackTree(await disk.read(imagePath(digest), MAX_IMAGE_BYTES));
}

async function makeMachineFolder(disk: Disk, folder: string): Promise<void> {
  if ((await disk.stat(folder)) !== undefined) return;
  await disk.makeFolder(folder, 0o755);
  await disk.syncFolder(MACHINE);
}

/** The subtree of a directory, by relative path. */
function below(tree: ImageTree, folder: string): ImageTree {
  return new Map(
    [...tree]
      .filter(([path]) => path.startsWith(`${folder}/`))
      .map(([path, entry]) => [path.slice(folder.length), entry]),
  );
}

function imagePath(digest: string): string {
  return `${IMAGES}/${digest.replace(/[^a-z0-9]/g, '-')}`;
}

function etcPath({ id }: SandboxDeployment): string {
  return `${ETCS}/${id}`;
}
