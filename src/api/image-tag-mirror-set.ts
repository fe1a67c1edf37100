/**
 * ImageTagMirrorSet: where images that are named by tag may be pulled from instead.
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
    'Mirrors for images that are named by tag. All sets together become part of the registries configuration of every node.',
  spec: object('The mirrors.', {
    imageTagMirrors: mirrorEntries(
      'Sources and their mirrors. Where several entries name one source, their mirrors are taken together.',
    ),
  }),
  status: emptyStatus,
});
export type ImageTagMirrorSet = ObjectOfKind<typeof imageTagMirrorSet>;
