/**
 * MachineConfigPool: a group of nodes that share one rendered configuration and are updated together.
 */

import {
  ageColumn,
  conditionColumn,
  defineKind,
  labelSelector,
  legacyConditions,
  type ObjectOfKind,
  objectReference,
  objectReferenceFields,
} from '../kubernetes/meta/index.ts';
import {
  boolean,
  dateTime,
  int32,
  int64,
  intOrString,
  list,
  object,
  oneOf,
  required,
  string,
} from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';
import { streamNameOf } from './shapes.ts';

const configuration = (description: string) =>
  object(
    description,
    {
      ...objectReferenceFields,
      source: list(
        'The MachineConfigs that were merged, in merge order.',
        objectReference('One MachineConfig.'),
        { list: 'atomic' },
      ),
    },
    { atomic: true },
  );

const osImageStream = (description: string) =>
  object(description, {
    name: required(streamNameOf('Name of an available stream of OSImageStream/cluster.')),
  });

const count = (description: string) => required(int64(description, { minimum: 0 }));

const poolSynchronizer = object(
  'Progress of one pool synchronizer.',
  {
    poolSynchronizerType: required(
      oneOf('Type of the synchronizer.', ['PinnedImageSets'], { maxLength: 256 }),
    ),
    machineCount: count('Number of machines in the pool.'),
    updatedMachineCount: count('Number of machines in the desired state.'),
    readyMachineCount: count('Number of ready machines.'),
    availableMachineCount: count('Number of available machines.'),
    unavailableMachineCount: count('Number of unavailable machines.'),
    observedGeneration: int64('Generation of the synchronized objects that was observed.', {
      minimum: 0,
      rules: [
        {
          rule: 'self >= oldSelf || (self == 0 && oldSelf > 0)',
          message: 'observedGeneration must not move backwards except to zero',
        },
      ],
    }),
  },
  {
    rules: [
      atLeast('machineCount', 'updatedMachineCount'),
      atLeast('machineCount', 'availableMachineCount'),
      atLeast('machineCount', 'unavailableMachineCount'),
      atLeast('machineCount', 'readyMachineCount'),
      atLeast('availableMachineCount', 'readyMachineCount'),
    ],
  },
);

export const machineConfigPool = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'MachineConfigPool',
  plural: 'machineconfigpools',
  shortNames: ['mcp'],
  description:
    'A group of nodes that share one configuration. Its MachineConfigs are merged into a rendered MachineConfig, which is rolled out node by node.',
  crdLabels: operatorManagedLabels,
  columns: [
    { name: 'Config', type: 'string', jsonPath: '.status.configuration.name' },
    conditionColumn('Updated'),
    conditionColumn('Updating'),
    conditionColumn('Degraded'),
    { name: 'MachineCount', type: 'number', jsonPath: '.status.machineCount' },
    { name: 'ReadyMachineCount', type: 'number', jsonPath: '.status.readyMachineCount' },
    { name: 'UpdatedMachineCount', type: 'number', jsonPath: '.status.updatedMachineCount' },
    { name: 'DegradedMachineCount', type: 'number', jsonPath: '.status.degradedMachineCount' },
    ageColumn,
  ],
  spec: object('Desired state of the pool.', {
    machineConfigSelector: labelSelector('Label selector for the MachineConfigs of the pool.'),
    nodeSelector: labelSelector('Label selector for the nodes of the pool.'),
    paused: boolean('Whether updates of the nodes are paused. Rendering continues.'),
    maxUnavailable: intOrString(
      'Maximum number of nodes that may be unavailable during an update, as a number or a percentage of the pool (rounded down, at least one). Defaults to 1.',
    ),
    configuration: configuration(
      'Rendered MachineConfig that the nodes are updated to. Set by the render controller.',
    ),
    pinnedImageSets: list(
      'PinnedImageSets whose labels its machineConfigSelector matches. Set by the pinned image set controller.',
      object('One PinnedImageSet.', {
        name: required(
          string('Its name.', {
            minLength: 1,
            maxLength: 253,
            pattern:
              '^([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])(\\.([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9]))*$',
          }),
        ),
      }),
      { maxItems: 100, list: { map: ['name'] } },
    ),
    osImageStream: osImageStream('Stream of the OS image of the pool. Defaults to the default stream.'),
  }),
  status: object('Observed state of the pool. Set by the node controller.', {
    observedGeneration: int64('Generation of the spec that was last observed.'),
    configuration: configuration('Rendered MachineConfig that all nodes of the pool run.'),
    machineCount: int32('Number of nodes in the pool.'),
    updatedMachineCount: int32('Number of nodes that run the configuration of the spec.'),
    readyMachineCount: int32('Number of updated nodes that are ready.'),
    unavailableMachineCount: int32('Number of unavailable nodes: not ready, or being updated.'),
    degradedMachineCount: int32('Number of nodes that failed to apply their configuration.'),
    conditions: legacyConditions('Latest observations of the state of the pool.'),
    certExpirys: list(
      'Expiry of the certificates that the nodes trust.',
      object('One certificate.', {
        bundle: required(string('Bundle that contains the certificate.')),
        subject: required(string('Subject of the certificate.')),
        expiry: dateTime('Time at which the certificate expires.'),
      }),
      { list: 'atomic' },
    ),
    poolSynchronizersStatus: list('Status of the pool synchronizers.', poolSynchronizer, {
      list: { map: ['poolSynchronizerType'] },
    }),
    osImageStream: osImageStream('Stream that all nodes of the pool run.'),
  }),
});
export type MachineConfigPool = ObjectOfKind<typeof machineConfigPool>;
export type MachineConfigPoolStatus = NonNullable<MachineConfigPool['status']>;

function atLeast(larger: string, smaller: string) {
  return {
    rule: `self.${larger} >= self.${smaller}`,
    message: `${larger} must be greater than or equal to ${smaller}`,
  };
}
