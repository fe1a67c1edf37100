/**
 * What of a config cannot be written to this machine, asked before the node is drained: the steps would fail with the same errors
 * once its pods are gone.
 */
import { Failure } from '../../../base/errors.ts';
import type { Host } from '../../host/index.ts';
import { type NodeConfig, pathsOf, sshKeysFile, unitPaths } from '../../plan/index.ts';
import type { PausingContext } from '../context.ts';
import { matches } from '../originals.ts';
import { isKeptAsItIs, ownerOf, toWrite } from '../step-files.ts';

type Writing = {
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  /** Paths of files and names of units that the update writes. */
  readonly changed: readonly string[] | 'all';
  readonly units: readonly string[] | 'all';
  readonly hasNewKeys: boolean;
};

/** Why, as the steps would report it, with what to do; undefined where nothing is known against it. */
export async function unwritable(work: PausingContext, writing: Writing): Promise<string | undefined> {
  const { host } = work;
  return (
    (await unwritableFile(work, writing)) ??
    (await unwritableUnit(host, writing)) ??
    (writing.hasNewKeys ? await unwritableKeys(host, writing) : undefined)
  );
}

async function unwritableFile(
  work: PausingContext,
  { from, to, changed }: Writing,
): Promise<string | undefined> {
  const { host } = work;
  for (const file of to.ignition.storage?.files ?? []) {
    if (changed !== 'all' && !changed.includes(file.path)) continue;
    if (await isKeptAsItIs(host, file)) continue;
    // Throws for users and groups that the machine does not have.
    await ownerOf(host.accounts, file);
    const why = await whyUnwritable(host, from, file.path);
    // What is there already need not be written.
    if (why !== undefined && !(await matches(host, file.path, await toWrite(work, file)))) return why;
  }
  return undefined;
}

/** Unit files need not exist yet, and are written to one folder. */
async function unwritableUnit(host: Host, { from, to, units }: Writing): Promise<string | undefined> {
  const written = (to.ignition.systemd?.units ?? []).filter(
    ({ name }) => units === 'all' || units.includes(name),
  );
  for (const path of unitPaths(written).keys()) {
    const why = await whyUnwritable(host, from, path);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** The step removes links, and a folder that belongs to someone else, before it writes. */
async function unwritableKeys(host: Host, { from, to }: Writing): Promise<string | undefined> {
  const { user, text, path, folders } = sshKeysFile(to);
  const owner = await host.accounts.user(user);
  if (text === '' || owner === undefined) return undefined;
  for (const [index, folder] of folders.entries()) {
    const there = await host.files.stat(folder.path);
    const isForeign = there !== undefined && index === 0 && there.owner.uid !== owner.uid;
    if (there?.kind === 'link' || isForeign) return undefined;
  }
  return await whyUnwritable(host, from, path);
}

async function whyUnwritable({ files }: Host, from: NodeConfig, path: string): Promise<string | undefined> {
  const why = await files.whyUnwritable(path);
  const blocking = why === undefined ? undefined : await noFolder({ files }, path);
  if (blocking === undefined) return why;
  // Files of the old config go once those of the new one are written.
  const remedy = pathsOf(from).includes(blocking)
    ? 'it is a file of the config that the node has: remove it in an update before this one'
    : 'remove it on the node, or change the path in the config';
  return `${why} (${path} needs a folder there, and ${blocking} is none: ${remedy})`;
}

/** What is in the place of a folder on the way to a path: a file, or a link to no folder. */
async function noFolder({ files }: Pick<Host, 'files'>, path: string): Promise<string | undefined> {
  for (let end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) {
    const folder = path.slice(0, end);
    if ((await files.stat(folder)) === undefined) return undefined;
    if (!(await isFolder({ files }, folder))) return folder;
  }
  return undefined;
}

async function isFolder({ files }: Pick<Host, 'files'>, path: string): Promise<boolean> {
  try {
    return (await files.list(path)) !== undefined;
  } catch (error) {
    // As of links that lead to each other.
    if (error instanceof Failure && error.kind === 'stalled') return false;
    throw error;
  }
}
