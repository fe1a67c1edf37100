/**
 * Names that are part of the API besides kinds and annotation keys.
 */

/** The namespace of the components, and of events about cluster-wide objects. */
export const NAMESPACE = 'openshift-machine-config-operator';

/** An administrator creates this file on a node to force its next update. No config may create it. */
export const FORCE_FILE = '/run/machine-config-daemon-force';
