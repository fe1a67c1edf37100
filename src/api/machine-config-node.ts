/**
 * MachineConfigNode: the progress of one node towards its desired configuration, reported by that node.
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
  'Status of one PinnedImageSet on the node.',
  {
    name: required(objectName('Its name.')),
    currentGeneration: generation('currentGeneration', 'Generation whose images are all on the node.'),
    desiredGeneration: generation('desiredGeneration', 'Generation whose images should be on the node.'),
    lastFailedGeneration: generation(
      'lastFailedGeneration',
      'Last generation whose images could not be pulled or pinned.',
    ),
    lastFailedGenerationError: string('Error of the last failed generation.', { maxLength: 32768 }),
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

const irreconcilableChange = object('One field that cannot change on a running node.', {
  fieldPath: required(
    string('Path of the field in the rendered MachineConfig.', {
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
    string('Difference from the configuration that the node was provisioned with.', {
      minLength: 1,
      maxLength: 4096,
    }),
  ),
});

const releaseBundle = object('One release bundle.', {
  name: required(
    string('Name of the bundle, with version and architecture.', {
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
  image: string('Release image by digest.', {
    ...imageLengths,
    rules: [digestSuffix, imageNameOrLocalhost],
  }),
  conditions: conditions('Conditions of the bundle: Mounted, Installing, Available, Removing, Degraded.', {
    minItems: 1,
    maxItems: 5,
  }),
});

export const machineConfigNode = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'MachineConfigNode',
  plural: 'machineconfignodes',
  shortNames: ['mcn'],
  description:
    'Progress of one node towards its desired configuration: the phase of the update and its errors. Its name is the name of the node.',
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
    conditionColumn('NodeDegraded', { name: 'Degraded', priority: 1 }),
  ],
  rules: [
    {
      rule: 'self.metadata.name == self.spec.node.name',
      message: 'spec.node.name should match metadata.name',
    },
  ],
  spec: object('Desired state of the node.', {
    node: required(nameReference('Node that this object belongs to.')),
    pool: required(nameReference('MachineConfigPool of the node.')),
    configVersion: required(
      object('Configuration of the node.', {
        desired: required(
          objectName(
            'Rendered MachineConfig that the node should be updated to, or not-yet-set. Set before the annotation of the node.',
          ),
        ),
      }),
    ),
    configImage: object('OS image of the node if its pool uses image mode. Absent otherwise.', {
      desiredImage: required(digestPullSpec('Image that the node should be updated to.')),
    }),
  }),
  status: object('Observed state of the node. Set by its daemon.', {
    conditions: conditions('Phases of the update, and errors.', { maxItems: 20 }),
    observedGeneration: int64('Generation of the spec that was last observed.', {
      minimum: 1,
      rules: [neverDecreasing('observedGeneration must not decrease')],
    }),
    configVersion: object('Configuration of the node.', {
      desired: required(
        objectName('Rendered MachineConfig that the node is being updated to, or not-yet-set.'),
      ),
      current: objectName('Rendered MachineConfig that the node runs. Absent while it is unknown.'),
    }),
    configImage: object(
      'OS image of the node if its pool uses image mode.',
      {
        currentImage: digestPullSpec('Image that the node runs.'),
        desiredImage: digestPullSpec(
          'Image that the node is being updated to. Absent once the pool no longer uses image mode.',
        ),
      },
      { minProperties: 1 },
    ),
    pinnedImageSets: list('Status of the PinnedImageSets of the node.', pinnedImageSet, {
      maxItems: 100,
      list: { map: ['name'] },
    }),
    irreconcilableChanges: list(
      'Fields of the configuration that cannot change on a running node. They take effect on newly provisioned nodes only.',
      irreconcilableChange,
      { minItems: 1, maxItems: 32, list: { map: ['fieldPath'] } },
    ),
    internalReleaseImage: object('Release images that the node stores for a cluster without a registry.', {
      releases: required(
        list('Release bundles on the node.', releaseBundle, {
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
