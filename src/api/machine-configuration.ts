/**
 * MachineConfiguration: the settings of the operator itself. There is one, named `cluster`.
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
    'Settings of the operator: what nodes do when parts of their configuration change, and how boot images are kept up to date. The object named cluster counts.',
  spec: object('What is wanted.', {
    managementState: string('Whether the operator manages anything: Managed, Unmanaged, Force or Removed.', {
      pattern: '^(Managed|Unmanaged|Force|Removed)$',
    }),
    logLevel: logLevel('How much the components log.'),
    operatorLogLevel: logLevel('How much the operator itself logs.'),
    unsupportedConfigOverrides: nullable(
      anyObject('Settings that are laid over those the operator computed. Nobody vouches for the result.'),
    ),
    observedConfig: nullable(anyObject('Settings that the operator found in the cluster.')),
    forceRedeploymentReason: string('A new text here makes the operator roll out its components anew.'),
    failedRevisionLimit: int32('How many failed revisions to keep. Kept for compatibility; not used.'),
    succeededRevisionLimit: int32('How many successful revisions to keep. Kept for compatibility; not used.'),
    nodeDisruptionPolicy,
    managedBootImages: managedBootImages(
      'Which machine resources get the boot image of the release when the cluster is updated.',
    ),
    bootImageSkewEnforcement,
    irreconcilableValidationOverrides: object(
      'Changes that running nodes cannot make and that are nevertheless let through, for nodes that join later.',
      {
        storage: list(
          'Parts of the storage section of Ignition that may change. Running nodes report the difference in their MachineConfigNode.',
          oneOf('One part.', ['Disks', 'FileSystems', 'Raid']),
          { minItems: 1, maxItems: 3, list: 'set' },
        ),
      },
      { minProperties: 1 },
    ),
  }),
  status: object('What is in force.', {
    observedGeneration: int64(
      'The generation of the spec that this status speaks of. Nodes wait for it before they act on policies.',
    ),
    conditions: conditions('How the upkeep of boot images goes.'),
    nodeDisruptionPolicyStatus,
    managedBootImagesStatus: managedBootImages('Which machine resources get new boot images now.'),
    bootImageSkewEnforcementStatus,
  }),
  rules: automaticSkewRules,
});
export type MachineConfiguration = ObjectOfKind<typeof machineConfiguration>;
