/**
 * ImageContentSourcePolicy: the predecessor of ImageDigestMirrorSet. It is read like one, but its entries are not
 * validated on admission.
 */

import { defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { list, object, required, string } from '../kubernetes/schema/index.ts';
import { OPERATOR_GROUP } from './groups.ts';
import { emptyStatus } from './mirror-sets.ts';

export const imageContentSourcePolicy = defineKind({
  group: OPERATOR_GROUP,
  version: 'v1alpha1',
  kind: 'ImageContentSourcePolicy',
  plural: 'imagecontentsourcepolicies',
  description:
    'Mirrors for images that are pulled by digest. Deprecated: use ImageDigestMirrorSet, which validates its entries.',
  spec: object('Desired mirrors.', {
    repositoryDigestMirrors: list(
      'Sources and their mirrors. Mirrors of several entries for the same source are combined.',
      object('Mirrors of one source.', {
        source: required(
          string('Source as in image references: a registry, a repository or a prefix of its path.'),
        ),
        mirrors: list(
          'Mirrors, tried in this order before the source.',
          string('A registry, a repository or a prefix of its path.'),
        ),
      }),
    ),
  }),
  status: emptyStatus,
});
export type ImageContentSourcePolicy = ObjectOfKind<typeof imageContentSourcePolicy>;
