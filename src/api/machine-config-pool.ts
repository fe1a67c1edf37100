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
        'The MachineConfigs that were merged, in the order in which they were merged.',
        objectReference('One MachineConfig.'),
        { list: 'atomic' },
      ),
    },
    { atomic: true },
  );

const osImageStream = (description: string) =>
  object(description, {
    name: required(streamNameOf('The name of a stream that OSImageStream/cluster offers.')),
  });

const count = (description: string) => required(int64(description, { minimum: 0 }));

const poolSynchronizer = object(
  'How far one kind of work beside the configuration has come.',
  {
    poolSynchronizerType: required(oneOf('Which work.', ['PinnedImageSets'], { maxLength: 256 })),
    machineCount: count('How many machines the pool has.'),
    updatedMachineCount: count('How many have the wanted state.'),
    readyMachineCount: count('How many are ready.'),
    availableMachineCount: count('How many can be used.'),
    unavailableMachineCount: count('How many cannot be used.'),
    observedGeneration: int64('The generation for which this was counted.', {
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
    'A group of nodes that share one configuration. Its MachineConfigs are merged into a rendered one, which is then rolled out node by node.',
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
  spec: object('What the pool should be.', {
    machineConfigSelector: labelSelector('The MachineConfigs that belong to the pool, by their labels.'),
    nodeSelector: labelSelector('The nodes that belong to the pool, by their labels.'),
    paused: boolean('While true, no node of the pool is moved to a new configuration. Rendering goes on.'),
    maxUnavailable: intOrString(
      'How many nodes may be out of service at once, as a number or a percentage (rounded down). At least one; one if not given.',
    ),
    configuration: configuration(
      'The rendered MachineConfig to which the nodes should move. Written by the render controller.',
    ),
    pinnedImageSets: list(
      'The PinnedImageSets that apply to the pool. Written by the pinned image set controller.',
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
    osImageStream: osImageStream(
      'The stream from which the pool takes its OS image, where it is not the default one.',
    ),
  }),
  status: object('What the pool is. Written by the node controller.', {
    observedGeneration: int64('The generation of the spec that this status speaks of.'),
    configuration: configuration('The rendered MachineConfig that every node of the pool has reached.'),
    machineCount: int32('How many nodes the pool has.'),
    updatedMachineCount: int32('How many nodes have the configuration of the spec.'),
    readyMachineCount: int32('How many updated nodes are ready.'),
    unavailableMachineCount: int32('How many nodes cannot take work.'),
    degradedMachineCount: int32('How many nodes failed to apply their configuration.'),
    conditions: legacyConditions('What is true of the pool now, and why.'),
    certExpirys: list(
      'When the certificates that the nodes trust expire.',
      object('One certificate.', {
        bundle: required(string('The bundle that holds it.')),
        subject: required(string('Whom it names.')),
        expiry: dateTime('When it expires.'),
      }),
      { list: 'atomic' },
    ),
    poolSynchronizersStatus: list('How far the work beside the configuration has come.', poolSynchronizer, {
      list: { map: ['poolSynchronizerType'] },
    }),
    osImageStream: osImageStream('The stream that every node of the pool has reached.'),
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
