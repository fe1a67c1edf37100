/**
 * What the two kinds of mirror sets have in common: which registries stand in for which.
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

const mirrorEntry = object('One source of images and where its images are mirrored.', {
  source: required(
    string(
      'What users write in their image references: a registry, a repository or part of its path, or *.domain for every host below a domain.',
      { pattern: SOURCE_PATTERN },
    ),
  ),
  mirrors: list(
    'The places that hold copies, tried in this order before the source itself.',
    string('A registry, a repository or part of its path.', { pattern: MIRROR_PATTERN }),
    { list: 'set' },
  ),
  mirrorSourcePolicy: oneOf(
    'Whether the source is asked when every mirror has failed. AllowContactingSource if not given.',
    ['NeverContactSource', 'AllowContactingSource'],
  ),
});
export type MirrorEntry = Infer<typeof mirrorEntry>;

export const mirrorEntries = (description: string): Schema<readonly MirrorEntry[]> =>
  list(description, mirrorEntry, { list: 'atomic' });

/** Mirror sets have a status for the sake of form: it holds nothing. */
export const emptyStatus = object('Nothing is reported here.', {});
