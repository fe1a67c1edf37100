/**
 * ImageDigestMirrorSet: mirrors for images that are pulled by digest.
 */

import { defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { object } from '../kubernetes/schema/index.ts';
import { CONFIG_GROUP } from './groups.ts';
import { emptyStatus, mirrorEntries } from './mirror-sets.ts';

export const imageDigestMirrorSet = defineKind({
  group: CONFIG_GROUP,
  version: 'v1',
  kind: 'ImageDigestMirrorSet',
  plural: 'imagedigestmirrorsets',
  shortNames: ['idms'],
  description:
    'Mirrors for images that are pulled by digest. All sets are combined into registries.conf on every node.',
  spec: object('Desired mirrors.', {
    imageDigestMirrors: mirrorEntries(
      'Sources and their mirrors. Mirrors of several entries for the same source are combined.',
    ),
  }),
  status: emptyStatus,
});
export type ImageDigestMirrorSet = ObjectOfKind<typeof imageDigestMirrorSet>;
