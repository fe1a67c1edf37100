/**
 * The paths of the daemon's persistent state.
 */

const FOLDER = '/etc/machine-config-daemon';

/** The MachineConfig that the disk holds, as JSON; while a node waits for its reboot, the one that it boots into. */
export const CURRENT_CONFIG = `${FOLDER}/currentconfig`;
/** The image of image mode; absent or empty otherwise. */
export const CURRENT_IMAGE = `${FOLDER}/currentimage`;

/** The update in progress; see `journal.ts`. */
export const JOURNAL = `${FOLDER}/journal.json`;
/** Both of its configs, so that a node can complete it or roll back without the cluster. */
export const JOURNAL_FROM = `${FOLDER}/journal-from.json`;
export const JOURNAL_TO = `${FOLDER}/journal-to.json`;
/** Copies of files that the new config overwrites and no config owns, until the update has ended. */
export const BACKUPS = `${FOLDER}/journal-in-the-way`;

/** The initial annotations of a node, written when it is installed. While the file exists the node is joining. */
export const INITIAL_ANNOTATIONS = `${FOLDER}/node-annotations.json`;
export const INITIAL_ANNOTATIONS_DONE = `${FOLDER}/node-annotation.json.bak`;

/** Left behind by first boot. */
export const ENCAPSULATED_CONFIG = '/etc/ignition-machine-config-encapsulated.json';
export const IGNITION_PRESET = '/etc/systemd/system-preset/20-ignition.preset';

/** A copy of the OS's own file at the path, from before a config replaced it. */
export function originalPath(path: string): string {
  return `${FOLDER}/orig${path}.mcdorig`;
}

/** Marks that the OS had no file at the path. */
export function noOriginalPath(path: string): string {
  return `${FOLDER}/noorig${path}.mcdnoorig`;
}

export function backupPath(path: string): string {
  return `${BACKUPS}${path}`;
}
