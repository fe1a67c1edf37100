/**
 * The paths of the daemon's persistent state. No config may write them (`isDaemonState` in `config/content`).
 *
 * State about one path of a config is named after it, as upstream names it, so that nodes and runbooks of either agree. Where
 * that name would be too long for Linux, it has the digest of the path instead: what a config may write, its state can be
 * written for too.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { DAEMON_FOLDER as FOLDER } from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { isPathWithinLimits } from '../../base/text/index.ts';

export { DAEMON_FOLDER, ENCAPSULATED_CONFIG, IGNITION_PRESET, INITIAL_ANNOTATIONS } from '../../api/index.ts';

/** The MachineConfig that the disk holds, as JSON; while a node waits for its reboot, the one that it boots into. */
export const CURRENT_CONFIG = `${FOLDER}/currentconfig`;
/** The image of image mode; absent or empty otherwise. */
export const CURRENT_IMAGE = `${FOLDER}/currentimage`;

/** The update in progress; see `journal.ts`. */
export const JOURNAL = `${FOLDER}/journal.json`;
/** A journal that replaces a damaged one, until that is out of the way. */
export const JOURNAL_REBUILT = `${FOLDER}/journal-rebuilt.json`;
/** Both of its configs, so that a node can complete it or roll back without the cluster. */
export const JOURNAL_FROM = `${FOLDER}/journal-from.json`;
export const JOURNAL_TO = `${FOLDER}/journal-to.json`;
/** Copies of files that the new config overwrites and no config owns, until the update has ended. */
export const BACKUPS = `${FOLDER}/journal-in-the-way`;
export const BACKUPS_OF_LONG_PATHS = `${BACKUPS}-of-long-paths`;

/** The name of the OS image that is being downloaded, or was, and is no deployment yet. */
export const FETCHED_IMAGE = `${FOLDER}/fetched-image`;

/** The last request to apply everything again (`millwright.dev/retry`) that an update has completed. */
export const RETRIED = `${FOLDER}/retried`;

/** The drop-in with pinned images is the daemon's own; `reload` where CRI-O has not read it yet. */
export const PINNED_IMAGES = `${FOLDER}/pinned-images`;

/** The boot in which the kubelet has to be restarted; see `sync/kubeconfigs.ts`. */
export const KUBELET_RESTART = `${FOLDER}/kubelet-restart`;

/** The initial annotations once they are applied. */
export const INITIAL_ANNOTATIONS_DONE = `${FOLDER}/node-annotation.json.bak`;

/** A copy of the OS's own file at the path, from before a config replaced it. */
export function originalPath(path: string): string {
  return pathAfter(path, { folder: `${FOLDER}/orig`, suffix: '.mcdorig' });
}

/** Marks that the OS had no file at the path. */
export function noOriginalPath(path: string): string {
  return pathAfter(path, { folder: `${FOLDER}/noorig`, suffix: '.mcdnoorig' });
}

/** Whether the unit was enabled before a config had it. */
export function enablementPath(unit: string): string {
  return `${FOLDER}/enablement/${unit}`;
}

export function backupPath(path: string): string {
  return pathAfter(path, { folder: BACKUPS, suffix: '' });
}

/** That there was nothing at the path before the update. */
export function absencePath(path: string): string {
  return pathAfter(path, { folder: BACKUPS, suffix: '.nothing' });
}

/** Where a state file is kept that cannot be read; the last one of each name. */
export function damagedPath(path: string): string {
  return path === FOLDER ? `${FOLDER}-damaged` : `${FOLDER}/damaged/${path.slice(path.lastIndexOf('/') + 1)}`;
}

/** Copies of the OS's own files are being made again. */
export const ORIGINALS_PENDING = `${FOLDER}/damaged/originals-pending`;

export function damagedState(path: string, why: string): Failure {
  return new Failure('stalled', STATE_DAMAGED, `${path} cannot be read: ${why}`);
}

/** The reason of such a failure. */
export const STATE_DAMAGED = 'StateDamaged';

/** For the suffix of a temporary file, and for where the root of the machine is mounted. */
const SPARE_BYTES = 31;

type Place = { readonly folder: string; readonly suffix: string };

function pathAfter(path: string, { folder, suffix }: Place): string {
  const usual = `${folder}${path}${suffix}`;
  if (isPathWithinLimits(usual, SPARE_BYTES)) return usual;
  return `${folder}-of-long-paths/${bytesToHex(sha256(utf8ToBytes(path)))}${suffix}`;
}
