/**
 * The step that writes all files of the new config and the units that changed, and removes what only the old config had. Its
 * undo is the same with the configs swapped, and restores the files that were overwritten.
 */
import { Failure } from '../../base/errors.ts';
import { counted, quoted } from '../../base/text/index.ts';
import { isDaemonState } from '../../config/content/index.ts';
import { type File, fileContentsWithPauses } from '../../config/ignition/index.ts';
import type { FileToWrite, Owner } from '../host/index.ts';
import {
  DEFAULT_MODE,
  KUBELET_CA,
  MASK_TARGET,
  type NodeConfig,
  newPaths,
  sshKeysFile,
  staleData,
} from '../plan/index.ts';
import type { HostContext, PausingContext, StepDependencies } from './context.ts';
import {
  backUpFiles,
  ensureFile,
  forgetOriginals,
  type Keeping,
  keepOriginal,
  restoreFiles,
  revertFile,
} from './originals.ts';
import {
  forgetEnablement,
  recordEnablement,
  releaseEnablement,
  restoreEnablement,
  writeUnits,
} from './step-units.ts';

type FileChange = { readonly from: NodeConfig; readonly to: NodeConfig };

type Writing = FileChange & { readonly units: readonly string[]; readonly isUndo?: boolean };

export async function writeFiles(
  work: StepDependencies,
  { from, to, units, isUndo = false }: Writing,
): Promise<void> {
  work.log.line('Updating files');
  let unchanged = 0;
  // An undo writes what was there before, which is nobody else's.
  const foreign = new Set(isUndo ? [] : newPaths({ from, to }));
  for (const file of to.ignition.storage?.files ?? []) {
    if (!(await writeConfigFile(work, file, { isForeign: foreign.has(file.path) }))) unchanged++;
  }
  if (unchanged > 0)
    work.log.line(`${counted(unchanged, 'file')} ${unchanged === 1 ? 'is' : 'are'} unchanged`);
  // A masked unit can neither be enabled nor follow its preset.
  await removeStaleMasks(work, { from, to, isUndo });
  await writeUnits(work, to, { names: units, foreign });
  await removeStaleData(work, { from, to, isUndo });
}

/** `units`: those that the step wrote. */
export async function undoFiles(
  work: StepDependencies,
  { from, to, units }: FileChange & { readonly units: readonly string[] },
): Promise<void> {
  await writeFiles(work, { from: to, to: from, units, isUndo: true });
  await restoreFiles(work.host, newPaths({ from, to }));
}

/** Once no rollback is possible: copies of files that were restored are of no use. */
export async function forgetStaleOriginals({ host }: HostContext, { from, to }: FileChange): Promise<void> {
  const { files, dropins, units } = staleData(from, to);
  const ours = units.filter(({ isOurs }) => isOurs).map(({ path }) => path);
  const hasLostKeys = sshKeysFile(from).text !== '' && sshKeysFile(to).text === '';
  const keys = hasLostKeys ? [sshKeysFile(from).path] : [];
  await forgetOriginals(host, [...files, ...dropins, ...ours, ...keys]);
  await forgetEnablement({ host }, { from, to });
}

/** Called before the step begins, and repeated until it has begun. */
export async function prepareFiles(work: HostContext, change: FileChange): Promise<void> {
  const { host } = work;
  await backUpFiles(host, newPaths(change));
  await recordEnablement(work, change);
}

/** Returns whether the file changes. */
async function writeConfigFile(work: StepDependencies, file: File, keeping: Keeping): Promise<boolean> {
  const { host, log } = work;
  const { path } = file;
  if (await isKeptAsItIs(host, file)) return false;
  const written = await toWrite(work, file);
  await keepOriginal(host, path, keeping);
  const onChange = () => log.line(`Writing file ${quoted(path)}`);
  return await ensureFile(host, path, { ...written, onChange });
}

/**
 * The kubelet's CA is synced from the ControllerConfig; the one in a config may be out of date. The daemon's own state may be in a
 * config that an older version has accepted.
 */
export async function isKeptAsItIs({ files }: HostContext['host'], { path }: File): Promise<boolean> {
  return isDaemonState(path) || (path === KUBELET_CA && (await files.stat(path)) !== undefined);
}

export async function toWrite({ host, env }: PausingContext, file: File): Promise<FileToWrite> {
  const { path, mode = DEFAULT_MODE } = file;
  if ((file.append ?? []).length > 0)
    throw refused(`found an append section when writing files, append is not supported: ${path}`);
  const contents = await fileContentsWithPauses(file.contents, () => env.clock.pause());
  if (contents.kind === 'invalid') {
    throw refused(
      `could not decode file ${quoted(path)}: ${contents.problems.map((one) => one.message).join(', ')}`,
    );
  }
  return { bytes: contents.value, mode, owner: await ownerOf(host.accounts, file) };
}

export async function ownerOf(
  accounts: HostContext['host']['accounts'],
  { path, user, group }: File,
): Promise<Owner> {
  const failed = (what: string) =>
    refused(`failed to retrieve file ownership for file ${quoted(path)}: failed to retrieve ${what}`);
  const uid = user?.id ?? (user?.name ? (await accounts.user(user.name))?.uid : 0);
  if (uid === undefined) throw failed(`UserID for username: ${user?.name}`);
  const gid = group?.id ?? (group?.name ? await accounts.group(group.name) : 0);
  if (gid === undefined) throw failed(`GroupID for group: ${group?.name}`);
  return { uid, gid };
}

type Removing = FileChange & { readonly isUndo: boolean };

async function removeStaleMasks({ host, log }: HostContext, { from, to, isUndo }: Removing): Promise<void> {
  for (const { path, isOurs } of staleData(from, to).units) {
    if (!isOurs || (await host.files.stat(path))?.target !== MASK_TARGET) continue;
    await revertFile(host, path, { isUnit: true, isUndo });
    log.line(`Removed stale mask ${quoted(path)}`);
  }
}

async function removeStaleData({ host, log }: HostContext, { from, to, isUndo }: Removing): Promise<void> {
  log.line('Deleting stale data');
  const stale = staleData(from, to);
  for (const line of stale.log) log.line(line);
  for (const path of stale.files) {
    if ((await revertFile(host, path, { isUndo })) === 'removed')
      log.line(`Removed stale file ${quoted(path)}`);
  }
  for (const path of stale.dropins) {
    if ((await revertFile(host, path, { isUnit: true, isUndo })) === 'removed') {
      log.line(`Removed stale systemd dropin ${quoted(path)}`);
    }
  }
  for (const { name, path, isGone, isOurs } of stale.units) {
    if (isGone) await releaseEnablement({ host, log }, { name, isOurs });
    if (isOurs && (await revertFile(host, path, { isUnit: true, isUndo })) === 'removed') {
      log.line(`Removed stale systemd unit ${quoted(path)}`);
    }
    if (isGone) await restoreEnablement({ host, log }, name);
  }
  for (const path of stale.leakedLinks) {
    if ((await host.files.stat(path))?.kind === 'link') await host.files.remove(path);
  }
}

function refused(message: string): Failure {
  return new Failure('stalled', 'FileRefused', message);
}
