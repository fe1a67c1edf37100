/**
 * PinnedImageSet: container images that the nodes of a pool fetch ahead of time and do not throw away.
 */

import { defineKind } from '../kubernetes/meta/index.ts';
import { list, object, required } from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';
import { digestPullSpec } from './shapes.ts';

const pinnedImage = object('One image.', {
  name: required(digestPullSpec('The image, by digest: host[:port][/namespace]/name@sha256:digest.')),
});

export const pinnedImageSet = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'PinnedImageSet',
  plural: 'pinnedimagesets',
  description:
    'Container images that nodes fetch ahead of time and do not throw away. Its labels decide to which pools it belongs, as those of a MachineConfig do.',
  crdLabels: operatorManagedLabels,
  spec: object('Which images.', {
    pinnedImages: required(
      list('The images.', pinnedImage, { minItems: 1, maxItems: 500, list: { map: ['name'] } }),
    ),
  }),
});
