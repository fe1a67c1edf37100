/**
 * MachineOSConfig: the wish that a pool runs OS images built in the cluster, and how to build them.
 */

import { conditions, defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { int64, list, object, oneOf, required, string } from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';
import { neverDecreasing } from './rules.ts';
import { digestPullSpec, nameReference, resourceReference, tagPushSpec } from './shapes.ts';

const containerFile = object('Build steps for one architecture, or for all.', {
  containerfileArch: oneOf(
    'The architecture for which these steps are; NoArch for every one.',
    ['ARM64', 'AMD64', 'PPC64LE', 'S390X', 'NoArch'],
    { default: 'NoArch' },
  ),
  content: required(
    string(
      'The text of a Containerfile, usually from the line FROM configs AS final on. Its last stage becomes the image.',
      { maxLength: 4096 },
    ),
  ),
});

export const machineOSConfig = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'MachineOSConfig',
  plural: 'machineosconfigs',
  description:
    'The wish that a pool runs OS images built in the cluster: what goes into them and where they are pushed. It bears the name of its pool.',
  crdLabels: operatorManagedLabels,
  rules: [
    {
      // Objects from before this rule may keep their name as long as they keep their pool.
      rule: 'self.metadata.name == self.spec.machineConfigPool.name || (oldSelf.hasValue() && oldSelf.value().spec.machineConfigPool.name == self.spec.machineConfigPool.name)',
      message:
        'MachineOSConfig name must match the referenced MachineConfigPool name; can only have one MachineOSConfig per MachineConfigPool',
      optionalOldSelf: true,
    },
  ],
  spec: object('What to build.', {
    machineConfigPool: required(nameReference('The MachineConfigPool whose nodes run the image.')),
    imageBuilder: required(
      object('Who builds.', { imageBuilderType: required(oneOf('The way to build.', ['Job'])) }),
    ),
    renderedImagePushSecret: required(
      nameReference(
        'The Secret in the namespace openshift-machine-config-operator with which the image is pushed.',
      ),
    ),
    renderedImagePushSpec: required(
      tagPushSpec('Where the image is pushed, as host[:port][/namespace]/name:tag.'),
    ),
    baseImagePullSecret: nameReference(
      'The Secret in the namespace openshift-machine-config-operator with which the base image is pulled. Without it, a copy of the pull secret of the cluster.',
    ),
    containerFile: list('Build steps of your own, one set for each architecture.', containerFile, {
      minItems: 0,
      maxItems: 4,
      list: { map: ['containerfileArch'] },
    }),
  }),
  status: object('What has been built. Written by the build controller.', {
    conditions: conditions('What is true of the object now, and why.'),
    observedGeneration: int64('The generation of the spec that this status speaks of.', {
      minimum: 0,
      rules: [neverDecreasing('observedGeneration must not move backwards')],
    }),
    currentImagePullSpec: digestPullSpec('The newest image that was built, by digest.'),
    machineOSBuild: resourceReference('The MachineOSBuild that builds or built the image.'),
  }),
});
export type MachineOSConfig = ObjectOfKind<typeof machineOSConfig>;
