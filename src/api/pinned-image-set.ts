/**
 * PinnedImageSet: container images that the nodes of a pool pull in advance and keep.
 */

import { defineKind } from '../kubernetes/meta/index.ts';
import { list, object, required } from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';
import { digestPullSpec } from './shapes.ts';

const pinnedImage = object('One image.', {
  name: required(digestPullSpec('Image by digest: host[:port][/namespace]/name@sha256:digest.')),
});

export const pinnedImageSet = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'PinnedImageSet',
  plural: 'pinnedimagesets',
  description:
    'Container images that nodes pull in advance and exclude from garbage collection. Pools select it by its labels, like MachineConfigs.',
  crdLabels: operatorManagedLabels,
  spec: object('The images to pin.', {
    pinnedImages: required(
      list('The images.', pinnedImage, { minItems: 1, maxItems: 500, list: { map: ['name'] } }),
    ),
  }),
});
