/**
 * The common part of ImageDigestMirrorSet and ImageTagMirrorSet.
 */
import {
  type Infer,
  list,
  object,
  oneOf,
  required,
  type Schema,
  string,
} from '../kubernetes/schema/index.ts';
import { MIRROR_PATTERN, SOURCE_PATTERN } from './registry-names.ts';

const mirrorEntry = object('Mirrors of one source.', {
  source: required(
    string(
      'Source as in image references: a registry, a repository or a prefix of its path, or *.domain for every host below a domain.',
      { pattern: SOURCE_PATTERN },
    ),
  ),
  mirrors: list(
    'Mirrors, tried in this order before the source.',
    string('A registry, a repository or a prefix of its path.', { pattern: MIRROR_PATTERN }),
    { list: 'set' },
  ),
  mirrorSourcePolicy: oneOf(
    'Whether the source is contacted when all mirrors fail. Defaults to AllowContactingSource.',
    ['NeverContactSource', 'AllowContactingSource'],
  ),
});
export type MirrorEntry = Infer<typeof mirrorEntry>;

export const mirrorEntries = (description: string): Schema<readonly MirrorEntry[]> =>
  list(description, mirrorEntry, { list: 'atomic' });

/** Mirror sets have an empty status for compatibility. */
export const emptyStatus = object('Empty.', {});
