/**
 * ImageTagMirrorSet: mirrors for images that are pulled by tag.
 */

import { defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { object } from '../kubernetes/schema/index.ts';
import { CONFIG_GROUP } from './groups.ts';
import { emptyStatus, mirrorEntries } from './mirror-sets.ts';

export const imageTagMirrorSet = defineKind({
  group: CONFIG_GROUP,
  version: 'v1',
  kind: 'ImageTagMirrorSet',
  plural: 'imagetagmirrorsets',
  shortNames: ['itms'],
  description:
    'Mirrors for images that are pulled by tag. All sets are combined into registries.conf on every node.',
  spec: object('Desired mirrors.', {
    imageTagMirrors: mirrorEntries(
      'Sources and their mirrors. Mirrors of several entries for the same source are combined.',
    ),
  }),
  status: emptyStatus,
});
export type ImageTagMirrorSet = ObjectOfKind<typeof imageTagMirrorSet>;
