/**
 * Where a daemon keeps what must survive it.
 */

const FOLDER = '/etc/machine-config-daemon';

/** The MachineConfig that the disk holds, as JSON; while a node waits for its reboot, the one that it boots into. */
export const CURRENT_CONFIG = `${FOLDER}/currentconfig`;
/** The image of image mode; absent or empty otherwise. */
export const CURRENT_IMAGE = `${FOLDER}/currentimage`;

/** The update under way; see `journal.ts`. */
export const JOURNAL = `${FOLDER}/journal.json`;
/** Both of its configs, so that a node can go on or back without the cluster. */
export const JOURNAL_FROM = `${FOLDER}/journal-from.json`;
export const JOURNAL_TO = `${FOLDER}/journal-to.json`;
/** Files of nobody that the new config puts something in the place of, until the update has ended. */
export const IN_THE_WAY = `${FOLDER}/journal-in-the-way`;

/** The first words of a node, laid down when it was installed. While it is there the node is joining. */
export const FIRST_ANNOTATIONS = `${FOLDER}/node-annotations.json`;
export const FIRST_ANNOTATIONS_DONE = `${FOLDER}/node-annotation.json.bak`;

/** What first boot left behind. */
export const ENCAPSULATED_CONFIG = '/etc/ignition-machine-config-encapsulated.json';
export const IGNITION_PRESET = '/etc/systemd/system-preset/20-ignition.preset';

/** What the OS had at the path before a config put something there. */
export function originalPath(path: string): string {
  return `${FOLDER}/orig${path}.mcdorig`;
}

/** There was nothing of the OS at the path. */
export function noOriginalPath(path: string): string {
  return `${FOLDER}/noorig${path}.mcdnoorig`;
}

export function inTheWayPath(path: string): string {
  return `${IN_THE_WAY}${path}`;
}
