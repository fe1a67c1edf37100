/**
 * The files in which a node's daemon keeps its own state. A config that writes one of them would make the daemon forget what
 * is on its disk, so that no later config could reach the node.
 */

import { DAEMON_FOLDER, ENCAPSULATED_CONFIG, IGNITION_PRESET } from '../../api/index.ts';
import type { Problem } from '../../base/errors.ts';
import type { IgnitionConfig } from '../ignition/index.ts';

/** Below the daemon's folder, but written by configs: of upstream's base configs, and by users for signatures. */
const CONFIG_FILES: readonly string[] = [
  'no-reboot',
  'policy-for-old-podman.json',
  'generate_podman_policy_args.sh',
];

/** State outside of the folder: first boot and every start of the daemon remove these. */
const OTHER_STATE: readonly string[] = [ENCAPSULATED_CONFIG, `${ENCAPSULATED_CONFIG}.bak`, IGNITION_PRESET];

/** Whether the path belongs to the daemon: no config may write it, and what is there is never compared with a config. */
export function isDaemonState(path: string): boolean {
  if (path === DAEMON_FOLDER || OTHER_STATE.some((state) => isWithin(path, state))) return true;
  if (!isWithin(path, DAEMON_FOLDER)) return false;
  return !CONFIG_FILES.some((name) => isWithin(path, `${DAEMON_FOLDER}/${name}`));
}

/** What a config would write of it, with paths below the config. The folder itself may be listed as a directory. */
export function daemonStateProblems({ storage }: IgnitionConfig): readonly Problem[] {
  return (['files', 'directories', 'links'] as const).flatMap((section) =>
    (storage?.[section] ?? []).flatMap(({ path }, index) => {
      if (!isDaemonState(path) || (section === 'directories' && path === DAEMON_FOLDER)) return [];
      const message = `cannot create ${path} via Ignition: the machine-config-daemon keeps its own state there; choose another path`;
      return [{ path: `storage.${section}[${index}].path`, message, reason: 'FieldValueForbidden' as const }];
    }),
  );
}

function isWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}
