/**
 * DeleteOptions: the body of a delete request, also inside an Eviction.
 */
import { boolean, int64, named, pointer, string, struct } from '../schema/index.ts';
import { strings } from './fields.ts';

export const deleteOptions = struct('meta.DeleteOptions', 'How to delete.', {
  apiVersion: string('The group and version of these options, such as v1.'),
  kind: string('DeleteOptions.'),
  gracePeriodSeconds: pointer(int64('The seconds until the object is deleted; 0 deletes it immediately.')),
  propagationPolicy: pointer(
    named(
      'meta.DeletionPropagation',
      string('The deletion of dependents: Orphan, Background or Foreground.'),
    ),
  ),
  orphanDependents: pointer(boolean('The older form of Orphan.')),
  preconditions: struct('meta.Preconditions', 'Preconditions of the deletion.', {
    uid: pointer(named('types.UID', string('Its identity.'))),
    resourceVersion: pointer(string('Its version.')),
  }),
  dryRun: strings('All: nothing is deleted.', 'A stage that is left out.'),
  ignoreStoreReadErrorWithClusterBreakingPotential: pointer(
    boolean('Whether to delete an object that can no longer be decoded.'),
  ),
});
