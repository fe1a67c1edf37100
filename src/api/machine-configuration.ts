/**
 * MachineConfiguration: the settings of the operator. There is one object, named `cluster`.
 */

import { conditions, defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import {
  anyObject,
  int32,
  int64,
  list,
  nullable,
  object,
  oneOf,
  string,
} from '../kubernetes/schema/index.ts';
import {
  automaticSkewRules,
  bootImageSkewEnforcement,
  bootImageSkewEnforcementStatus,
  managedBootImages,
} from './boot-images.ts';
import { OPERATOR_GROUP } from './groups.ts';
import { nodeDisruptionPolicy, nodeDisruptionPolicyStatus } from './node-disruption-policy.ts';

const logLevel = (description: string) =>
  oneOf(description, ['', 'Normal', 'Debug', 'Trace', 'TraceAll'], { default: 'Normal' });

export const machineConfiguration = defineKind({
  group: OPERATOR_GROUP,
  version: 'v1',
  kind: 'MachineConfiguration',
  plural: 'machineconfigurations',
  description:
    'Settings of the operator: node disruption policies, updates of boot images. Only the object named cluster is used.',
  spec: object('Desired settings.', {
    managementState: string('Management state of the operator: Managed, Unmanaged, Force or Removed.', {
      pattern: '^(Managed|Unmanaged|Force|Removed)$',
    }),
    logLevel: logLevel('Log level of the components.'),
    operatorLogLevel: logLevel('Log level of the operator.'),
    unsupportedConfigOverrides: nullable(
      anyObject('Overrides of the settings that the operator computes. Not supported.'),
    ),
    observedConfig: nullable(anyObject('Settings that the operator observed in the cluster.')),
    forceRedeploymentReason: string('A changed value makes the operator redeploy its components.'),
    failedRevisionLimit: int32('Number of failed revisions to keep. For compatibility; not used.'),
    succeededRevisionLimit: int32('Number of successful revisions to keep. For compatibility; not used.'),
    nodeDisruptionPolicy,
    managedBootImages: managedBootImages('Machine resources whose boot image is updated with the cluster.'),
    bootImageSkewEnforcement,
    irreconcilableValidationOverrides: object(
      'Irreconcilable changes that are allowed nevertheless, for nodes that join later.',
      {
        storage: list(
          'Parts of the Ignition storage section that may change. Running nodes report the difference in their MachineConfigNode.',
          oneOf('One part.', ['Disks', 'FileSystems', 'Raid']),
          { minItems: 1, maxItems: 3, list: 'set' },
        ),
      },
      { minProperties: 1 },
    ),
  }),
  status: object('Observed state of the settings.', {
    observedGeneration: int64(
      'Generation of the spec that was last observed. Nodes wait for it before they apply policies.',
    ),
    conditions: conditions('Conditions of boot image updates.'),
    nodeDisruptionPolicyStatus,
    managedBootImagesStatus: managedBootImages('Machine resources whose boot images are being updated.'),
    bootImageSkewEnforcementStatus,
  }),
  rules: automaticSkewRules,
});
export type MachineConfiguration = ObjectOfKind<typeof machineConfiguration>;
