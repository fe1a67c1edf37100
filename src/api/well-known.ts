/**
 * Names that are part of the API besides kinds and annotation keys.
 */

/** The namespace of the components, and of events about cluster-wide objects. */
export const NAMESPACE = 'openshift-machine-config-operator';

/** The label of the pods of a component, and its value for the operator's. */
export const APP_LABEL = 'k8s-app';
export const OPERATOR_APP = 'machine-config-operator';

/** The ControllerConfig, of which there is one. */
export const CONTROLLER_CONFIG_NAME = 'machine-config-controller';
/** The ConfigMap with the OS images of the release. */
export const OS_IMAGE_CONFIG_MAP = 'machine-config-osimageurl';
/** Of the cluster of `millwright up`: the ConfigMap with its speed, by which the durations of its machines are divided. */
export const SANDBOX_TIMES_CONFIG_MAP = 'sandbox-times';

/** Names of the Leases that leading processes hold. */
export const OPERATOR_LEASE = 'machine-config';
export const CONTROLLER_LEASE = 'machine-config-controller';
export const BUILDER_LEASE = 'machine-os-builder';

/** The folder of a node's daemon: its own state, and some files of configs. */
export const DAEMON_FOLDER = '/etc/machine-config-daemon';

/** The initial annotations of a node, written when it is installed. While the file exists the node is joining. */
export const INITIAL_ANNOTATIONS = `${DAEMON_FOLDER}/node-annotations.json`;

/** The whole MachineConfig that a machine was installed with by the machine config server. */
export const SERVED_CONFIG = '/etc/mcs-machine-config-content.json';

/** Left behind by first boot, and removed by the daemon. */
export const ENCAPSULATED_CONFIG = '/etc/ignition-machine-config-encapsulated.json';
export const IGNITION_PRESET = '/etc/systemd/system-preset/20-ignition.preset';

/** An administrator creates this file on a node to force its next update. No config may create it. */
export const FORCE_FILE = '/run/machine-config-daemon-force';

/** The Secret with the credentials of the cluster for registries. */
export const PULL_SECRET = 'pull-secret';
/** The Secret with further credentials with which nodes pull OS images. */
export const OS_PULL_SECRET = 'machine-os-puller';

/** The Secret with the certificate of the MachineConfigServer, and the one with its CA; the ConfigMap with the CA alone has the same name. */
export const SERVER_TLS_SECRET = 'machine-config-server-tls';
export const SERVER_CA = 'machine-config-server-ca';
/** The Secret with the token that machines show to the MachineConfigServer, where it asks for one. */
export const SERVER_TOKEN_SECRET = 'machine-config-server-token';
/** The ServiceAccount of machines that join, with which new kubelets ask for their certificate, and the Secret with its token. */
export const BOOTSTRAP_ACCOUNT = 'node-bootstrapper';
export const BOOTSTRAP_TOKEN_SECRET = 'node-bootstrapper-token';
/** The ConfigMap with the CA of the API server for the kubeconfigs of nodes. */
export const KUBECONFIG_DATA = 'kubeconfig-data';
