/**
 * Names that are part of the API besides kinds and annotation keys.
 */

/** The namespace of the components, and of events about cluster-wide objects. */
export const NAMESPACE = 'openshift-machine-config-operator';

/** The folder of a node's daemon: its own state, and some files of configs. */
export const DAEMON_FOLDER = '/etc/machine-config-daemon';

/** Left behind by first boot, and removed by the daemon. */
export const ENCAPSULATED_CONFIG = '/etc/ignition-machine-config-encapsulated.json';
export const IGNITION_PRESET = '/etc/systemd/system-preset/20-ignition.preset';

/** An administrator creates this file on a node to force its next update. No config may create it. */
export const FORCE_FILE = '/run/machine-config-daemon-force';

/** The Secret with the credentials of the cluster for registries. */
export const PULL_SECRET = 'pull-secret';
/** The Secret with further credentials with which nodes pull OS images. */
export const OS_PULL_SECRET = 'machine-os-puller';
