/**
 * MachineOSConfig: makes a pool run OS images that are built in the cluster, and configures the builds.
 */

import { conditions, defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { int64, list, object, oneOf, required, string } from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';
import { neverDecreasing } from './rules.ts';
import { digestPullSpec, nameReference, resourceReference, tagPushSpec } from './shapes.ts';

const containerFile = object('Containerfile for one architecture, or for all.', {
  containerfileArch: oneOf(
    'Architecture of the Containerfile; NoArch for all.',
    ['ARM64', 'AMD64', 'PPC64LE', 'S390X', 'NoArch'],
    { default: 'NoArch' },
  ),
  content: required(
    string(
      'Content of the Containerfile, usually starting with FROM configs AS final. Its last stage becomes the image.',
      { maxLength: 4096 },
    ),
  ),
});

export const machineOSConfig = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'MachineOSConfig',
  plural: 'machineosconfigs',
  shortNames: ['mosc'],
  description:
    'Makes a pool run OS images that are built in the cluster (image mode), and configures the builds. Its name is the name of the pool.',
  crdLabels: operatorManagedLabels,
  rules: [
    {
      // Objects that predate this rule may keep their name as long as they keep their pool.
      rule: 'self.metadata.name == self.spec.machineConfigPool.name || (oldSelf.hasValue() && oldSelf.value().spec.machineConfigPool.name == self.spec.machineConfigPool.name)',
      message:
        'MachineOSConfig name must match the referenced MachineConfigPool name; can only have one MachineOSConfig per MachineConfigPool',
      optionalOldSelf: true,
    },
  ],
  spec: object('Desired state of the builds.', {
    machineConfigPool: required(nameReference('MachineConfigPool whose nodes run the image.')),
    imageBuilder: required(
      object('Builder of the image.', { imageBuilderType: required(oneOf('Type of the builder.', ['Job'])) }),
    ),
    renderedImagePushSecret: required(
      nameReference(
        'Secret in the namespace of Millwright (openshift-machine-config-operator by default) with the credentials for pushing the image.',
      ),
    ),
    renderedImagePushSpec: required(
      tagPushSpec('Reference that the image is pushed to, as host[:port][/namespace]/name:tag.'),
    ),
    baseImagePullSecret: nameReference(
      'Secret in the namespace of Millwright (openshift-machine-config-operator by default) with the credentials for pulling the base image. Defaults to a copy of the cluster pull secret.',
    ),
    containerFile: list('Custom Containerfiles, one per architecture.', containerFile, {
      minItems: 0,
      maxItems: 4,
      list: { map: ['containerfileArch'] },
    }),
  }),
  status: object('Observed state of the builds.', {
    conditions: conditions('Latest observations of the state of the object.'),
    observedGeneration: int64('Generation of the spec that was last observed.', {
      minimum: 0,
      rules: [neverDecreasing('observedGeneration must not move backwards')],
    }),
    currentImagePullSpec: digestPullSpec('Latest image that was built, by digest.'),
    machineOSBuild: resourceReference('MachineOSBuild of the image.'),
  }),
});
export type MachineOSConfig = ObjectOfKind<typeof machineOSConfig>;
