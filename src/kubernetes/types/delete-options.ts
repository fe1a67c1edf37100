/**
 * DeleteOptions: the body of a delete request, also inside an Eviction.
 */
import { boolean, int64, named, pointer, string, struct } from '../schema/index.ts';
import { strings } from './fields.ts';

export const deleteOptions = struct('meta.DeleteOptions', 'How to delete.', {
  apiVersion: string('The group and version of these options, such as v1.'),
  kind: string('DeleteOptions.'),
  gracePeriodSeconds: pointer(int64('How long the object has to end in order; 0 deletes it at once.')),
  propagationPolicy: pointer(
    named(
      'meta.DeletionPropagation',
      string('What becomes of dependents: Orphan, Background or Foreground.'),
    ),
  ),
  orphanDependents: pointer(boolean('The older form of Orphan.')),
  preconditions: struct('meta.Preconditions', 'What must be true of the object, or it is not deleted.', {
    uid: pointer(named('types.UID', string('Its identity.'))),
    resourceVersion: pointer(string('Its version.')),
  }),
  dryRun: strings('All: nothing is really deleted.', 'A stage that is left out.'),
  ignoreStoreReadErrorWithClusterBreakingPotential: pointer(
    boolean('Whether an object that can no longer be read is deleted unread.'),
  ),
});
