/**
 * ImageContentSourcePolicy: the forerunner of ImageDigestMirrorSet. It is read as if it were one, and checks
 * nothing when it is written.
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
    'Mirrors for images that are named by digest, in an older form. Prefer ImageDigestMirrorSet, which says at once what is wrong with an entry.',
  spec: object('The mirrors.', {
    repositoryDigestMirrors: list(
      'Sources and their mirrors. Where several entries name one source, their mirrors are taken together.',
      object('One source of images and where its images are mirrored.', {
        source: required(
          string('What users write in their image references: a registry, a repository or part of its path.'),
        ),
        mirrors: list(
          'The places that hold copies, tried in this order before the source itself.',
          string('A registry, a repository or part of its path.'),
        ),
      }),
    ),
  }),
  status: emptyStatus,
});
export type ImageContentSourcePolicy = ObjectOfKind<typeof imageContentSourcePolicy>;
