/**
 * PinnedImageSet: container images that the nodes of a pool pull in advance and keep.
 */

import { defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
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
  shortNames: ['pis'],
  description:
    'Container images that nodes pull in advance and exclude from garbage collection. Pools select it by its labels, like MachineConfigs.',
  crdLabels: operatorManagedLabels,
  spec: object('The images to pin.', {
    pinnedImages: required(
      list('The images.', pinnedImage, { minItems: 1, maxItems: 500, list: { map: ['name'] } }),
    ),
  }),
});

export type PinnedImageSet = ObjectOfKind<typeof pinnedImageSet>;

/** The value of the annotation `pinned-image-sets` of a Node; undefined for none. Names of objects have no commas. */
export function formatSetNames(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : names.join(',');
}

/** Of the annotation, which a user may have edited. */
export function parseSetNames(text: string | undefined): readonly string[] {
  const names = (text ?? '').split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))].slice(0, MAX_PINNED_IMAGE_SETS);
}

/** As many as a pool can name and a MachineConfigNode can report. */
export const MAX_PINNED_IMAGE_SETS = 100;
