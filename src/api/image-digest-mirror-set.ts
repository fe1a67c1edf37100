/**
 * ImageDigestMirrorSet: where images that are named by digest may be pulled from instead.
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
    'Mirrors for images that are named by digest. All sets together become part of the registries configuration of every node.',
  spec: object('The mirrors.', {
    imageDigestMirrors: mirrorEntries(
      'Sources and their mirrors. Where several entries name one source, their mirrors are taken together.',
    ),
  }),
  status: emptyStatus,
});
export type ImageDigestMirrorSet = ObjectOfKind<typeof imageDigestMirrorSet>;
