/**
 * MachineConfigNode: how far one node has come on its way to its configuration, told by that node.
 */

import {
  ageColumn,
  conditionColumn,
  conditions,
  defineKind,
  type ObjectOfKind,
} from '../kubernetes/meta/index.ts';
import { int32, int64, list, object, required, string } from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';
import { digestSuffix, imageNameOrLocalhost, matching, neverDecreasing } from './rules.ts';
import { digestPullSpec, imageLengths, nameReference, objectName } from './shapes.ts';

const generation = (field: string, description: string) =>
  int32(description, { minimum: 1, rules: [neverDecreasing(`${field} must not decrease`)] });

const pinnedImageSet = object(
  'One PinnedImageSet on this node.',
  {
    name: required(objectName('Its name.')),
    currentGeneration: generation('currentGeneration', 'The generation whose images are all on the node.'),
    desiredGeneration: generation('desiredGeneration', 'The generation whose images should be on the node.'),
    lastFailedGeneration: generation(
      'lastFailedGeneration',
      'The last generation whose images could not be had.',
    ),
    lastFailedGenerationError: string('What went wrong with that generation.', { maxLength: 32768 }),
  },
  {
    rules: [
      {
        rule: '!has(self.desiredGeneration) || !has(self.currentGeneration) || self.desiredGeneration >= self.currentGeneration',
        message: 'desired generation must be greater than or equal to the current generation',
      },
      {
        rule: '!has(self.desiredGeneration) || !has(self.lastFailedGeneration) || self.desiredGeneration >= self.lastFailedGeneration',
        message: 'desired generation must be greater than or equal to the last failed generation',
      },
      {
        rule: '!has(self.lastFailedGeneration) || has(self.lastFailedGenerationError)',
        message: 'last failed generation error must be defined on image pull and pin failure',
      },
    ],
  },
);

const irreconcilableChange = object('One field that the node cannot follow.', {
  fieldPath: required(
    string('The field, as a path into the rendered MachineConfig.', {
      minLength: 1,
      maxLength: 70,
      rules: [
        { rule: "self.startsWith('spec.')", message: 'The fieldPath must start with `spec.`' },
        matching(
          '^[\\da-zA-Z\\.\\[\\]]+$',
          "The fieldPath must consist only of alphanumeric characters, brackets [] and dots ('.').",
        ),
      ],
    }),
  ),
  diff: required(
    string('How the field differs from what the node was installed with.', { minLength: 1, maxLength: 4096 }),
  ),
});

const releaseBundle = object('One release bundle.', {
  name: required(
    string('Its name, with version and architecture.', {
      minLength: 1,
      maxLength: 64,
      rules: [
        matching(
          '^ocp-release-bundle-[0-9]+\\.[0-9]+\\.[0-9]+-[A-Za-z0-9._-]+$',
          'must be ocp-release-bundle-<version>-<arch|stream> and <= 64 chars',
        ),
      ],
    }),
  ),
  image: string('The release image, by digest.', {
    ...imageLengths,
    rules: [digestSuffix, imageNameOrLocalhost],
  }),
  conditions: conditions('What is true of the bundle: Mounted, Installing, Available, Removing, Degraded.', {
    minItems: 1,
    maxItems: 5,
  }),
});

export const machineConfigNode = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'MachineConfigNode',
  plural: 'machineconfignodes',
  description:
    'How far one node has come with its configuration: which phase of an update it is in, and what stopped it. It bears the name of its node.',
  crdLabels: operatorManagedLabels,
  columns: [
    { name: 'PoolName', type: 'string', jsonPath: '.spec.pool.name' },
    { name: 'DesiredConfig', type: 'string', jsonPath: '.spec.configVersion.desired' },
    { name: 'CurrentConfig', type: 'string', jsonPath: '.status.configVersion.current' },
    conditionColumn('Updated'),
    ageColumn,
    conditionColumn('UpdatePrepared', { priority: 1 }),
    conditionColumn('UpdateExecuted', { priority: 1 }),
    conditionColumn('UpdatePostActionComplete', { priority: 1 }),
    conditionColumn('UpdateComplete', { priority: 1 }),
    conditionColumn('Resumed', { priority: 1 }),
    conditionColumn('AppliedFilesAndOS', { name: 'UpdatedFilesAndOS', priority: 1 }),
    conditionColumn('Cordoned', { name: 'CordonedNode', priority: 1 }),
    conditionColumn('Drained', { name: 'DrainedNode', priority: 1 }),
    conditionColumn('RebootedNode', { priority: 1 }),
    conditionColumn('Uncordoned', { name: 'UncordonedNode', priority: 1 }),
  ],
  rules: [
    {
      rule: 'self.metadata.name == self.spec.node.name',
      message: 'spec.node.name should match metadata.name',
    },
  ],
  spec: object('What the node should become.', {
    node: required(nameReference('The node of which this object tells.')),
    pool: required(nameReference('The MachineConfigPool to which the node belongs.')),
    configVersion: required(
      object('The configuration of the node.', {
        desired: required(
          objectName(
            'The rendered MachineConfig to which the node should move, or not-yet-set. Written before the node itself is told.',
          ),
        ),
      }),
    ),
    configImage: object(
      'The OS image of the node, where its pool builds its own images. Absent in every other pool.',
      { desiredImage: required(digestPullSpec('The image to which the node should move.')) },
    ),
  }),
  status: object('What the node is. Written by its daemon.', {
    conditions: conditions('The phases of an update, and what is wrong.', { maxItems: 20 }),
    observedGeneration: int64('The generation of the spec that this status speaks of.', {
      minimum: 1,
      rules: [neverDecreasing('observedGeneration must not decrease')],
    }),
    configVersion: object('The configuration of the node.', {
      desired: required(
        objectName('The rendered MachineConfig to which the node is moving, or not-yet-set.'),
      ),
      current: objectName('The rendered MachineConfig that the node has. Absent while it is not known.'),
    }),
    configImage: object(
      'The OS image of the node, where its pool builds its own images.',
      {
        currentImage: digestPullSpec('The image that the node runs.'),
        desiredImage: digestPullSpec(
          'The image to which the node is moving. Absent once the pool no longer builds images.',
        ),
      },
      { minProperties: 1 },
    ),
    pinnedImageSets: list('The PinnedImageSets of the node, and how far each has come.', pinnedImageSet, {
      maxItems: 100,
      list: { map: ['name'] },
    }),
    irreconcilableChanges: list(
      'Fields of the configuration that a running node cannot follow. They take effect on newly installed nodes only.',
      irreconcilableChange,
      { minItems: 1, maxItems: 32, list: { map: ['fieldPath'] } },
    ),
    internalReleaseImage: object('The release images that the node keeps for a cluster without a registry.', {
      releases: required(
        list('The release bundles on the node.', releaseBundle, {
          minItems: 1,
          maxItems: 32,
          list: { map: ['name'] },
        }),
      ),
    }),
  }),
});
export type MachineConfigNode = ObjectOfKind<typeof machineConfigNode>;
export type MachineConfigNodeStatus = NonNullable<MachineConfigNode['status']>;
