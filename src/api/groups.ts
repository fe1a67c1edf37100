/**
 * The API groups of our kinds.
 */

export const MACHINE_CONFIGURATION_GROUP = 'machineconfiguration.openshift.io';
export const CONFIG_GROUP = 'config.openshift.io';
export const OPERATOR_GROUP = 'operator.openshift.io';

/** CRDs of the machine configuration group carry this label. */
export const operatorManagedLabels = { 'openshift.io/operator-managed': '' } as const;
