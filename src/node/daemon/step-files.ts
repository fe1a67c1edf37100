/**
 * The step that writes files and units: all files of the new config, the units that changed, and away with what only the
 * old one had. Its undo is the same with the configs swapped, and what was in the way comes back.
 */
import { Failure } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import { type File, fileContents } from '../../config/ignition/index.ts';
import type { Owner } from '../host/index.ts';
import {
  DEFAULT_MODE,
  KUBELET_CA,
  MASK_TARGET,
  type NodeConfig,
  staleData,
  unitPaths,
} from '../plan/index.ts';
import type { Work } from './context.ts';
import {
  bringBackWhatWasInTheWay,
  forgetOriginals,
  keepOriginal,
  keepWhatIsInTheWay,
  takeBack,
  writeOrFind,
} from './originals.ts';
import { presetLeniently } from './preset.ts';
import { writeUnits } from './step-units.ts';

type FileChange = { readonly from: NodeConfig; readonly to: NodeConfig };

type Writing = FileChange & { readonly units: readonly string[]; readonly isUndo?: boolean };

export async function writeFiles(work: Work, { from, to, units, isUndo = false }: Writing): Promise<void> {
  work.log.line('Updating files');
  for (const file of to.ignition.storage?.files ?? []) await writeConfigFile(work, file);
  // What is masked can neither be enabled nor follow its preset.
  await removeStaleMasks(work, { from, to, isUndo });
  await writeUnits(work, to, units);
  await removeStaleData(work, { from, to, isUndo });
}

/** `units` are those that the step wrote; what they were before is written again. */
export async function undoFiles(
  work: Work,
  { from, to, units }: FileChange & { readonly units: readonly string[] },
): Promise<void> {
  await writeFiles(work, { from: to, to: from, units, isUndo: true });
  await bringBackWhatWasInTheWay(work.host, newPaths({ from, to }));
}

/** Once there is no way back: copies of what stands in its own place again are of no use. */
export async function forgetStaleOriginals({ host }: Work, { from, to }: FileChange): Promise<void> {
  const { files, dropins, units } = staleData(from, to);
  const ours = units.filter(({ isOurs }) => isOurs).map(({ path }) => path);
  await forgetOriginals(host, [...files, ...dropins, ...ours]);
}

/** Called before the step begins, and repeated until it has. */
export async function prepareFiles({ host }: Work, change: FileChange): Promise<void> {
  await keepWhatIsInTheWay(host, newPaths(change));
}

/** Paths that only the new config writes. The kubelet's CA is never written over. */
function newPaths({ from, to }: FileChange): readonly string[] {
  const before = new Set(pathsOf(from));
  return pathsOf(to).filter((path) => !before.has(path) && path !== KUBELET_CA);
}

/** Every path at which the config puts something. */
export function pathsOf({ ignition }: NodeConfig): readonly string[] {
  const files = (ignition.storage?.files ?? []).map(({ path }) => path);
  return [...files, ...unitPaths(ignition.systemd?.units ?? []).keys()];
}

async function writeConfigFile({ host, log }: Work, file: File): Promise<void> {
  const { path, mode = DEFAULT_MODE } = file;
  // The cluster renews it by other means, and what a config says of it may be long out of date.
  if (path === KUBELET_CA && (await host.files.stat(path)) !== undefined) return;
  log.line(`Writing file ${quoted(path)}`);
  if ((file.append ?? []).length > 0)
    throw refused(`found an append section when writing files, append is not supported: ${path}`);
  const contents = fileContents(file.contents);
  if (contents.kind === 'invalid') {
    throw refused(
      `could not decode file ${quoted(path)}: ${contents.problems.map((one) => one.message).join(', ')}`,
    );
  }
  const owner = await ownerOf(host.accounts, file);
  await keepOriginal(host, path);
  await writeOrFind(host, path, { bytes: contents.value, mode, owner });
}

async function ownerOf(accounts: Work['host']['accounts'], { path, user, group }: File): Promise<Owner> {
  const failed = (what: string) =>
    refused(`failed to retrieve file ownership for file ${quoted(path)}: failed to retrieve ${what}`);
  const uid = user?.id ?? (user?.name ? (await accounts.user(user.name))?.uid : 0);
  if (uid === undefined) throw failed(`UserID for username: ${user?.name}`);
  const gid = group?.id ?? (group?.name ? await accounts.group(group.name) : 0);
  if (gid === undefined) throw failed(`GroupID for group: ${group?.name}`);
  return { uid, gid };
}

type Removing = FileChange & { readonly isUndo: boolean };

async function removeStaleMasks({ host, log }: Work, { from, to, isUndo }: Removing): Promise<void> {
  for (const { path, isOurs } of staleData(from, to).units) {
    if (!isOurs || (await host.files.stat(path))?.target !== MASK_TARGET) continue;
    await takeBack(host, path, { isUnit: true, isUndo });
    log.line(`Removed stale mask ${quoted(path)}`);
  }
}

async function removeStaleData({ host, log }: Work, { from, to, isUndo }: Removing): Promise<void> {
  log.line('Deleting stale data');
  const stale = staleData(from, to);
  for (const line of stale.log) log.line(line);
  for (const path of stale.files) {
    if ((await takeBack(host, path, { isUndo })) === 'removed')
      log.line(`Removed stale file ${quoted(path)}`);
  }
  for (const path of stale.dropins) {
    if ((await takeBack(host, path, { isUnit: true, isUndo })) === 'removed') {
      log.line(`Removed stale systemd dropin ${quoted(path)}`);
    }
  }
  for (const { name, path, isGone, isOurs } of stale.units) {
    if (isGone) await presetLeniently({ host, log }, name);
    if (!isOurs) continue;
    if ((await takeBack(host, path, { isUnit: true, isUndo })) === 'removed') {
      log.line(`Removed stale systemd unit ${quoted(path)}`);
    }
  }
  for (const path of stale.leakedLinks) {
    if ((await host.files.stat(path))?.kind === 'link') await host.files.remove(path);
  }
}

function refused(message: string): Failure {
  return new Failure('stalled', 'FileRefused', message);
}
