/**
 * When a job has failed or succeeded before its counts say so.
 */
import { int32, list, object, oneOf, required, string } from '../schema/index.ts';
import { items, withDefault } from './fields.ts';

const onExitCodes = object('How a container ended.', {
  containerName: string('Which container; any unless given.'),
  operator: required(oneOf('Whether its code must be among the values, or must not.', ['In', 'NotIn'])),
  values: required(list('The codes.', int32('A code.'), { list: 'set' })),
});

const onPodConditions = items(
  'Conditions, of which the pod has one.',
  object('A condition.', {
    type: required(string('Its type.')),
    status: required(withDefault(string('Its status.'), 'True')),
  }),
);

export const podFailurePolicy = object('What a failed pod means for the job.', {
  rules: required(
    items(
      'Rules, of which the first that fits counts.',
      object('A rule, on exit codes or on conditions.', {
        action: required(oneOf('What follows where it fits.', ['Count', 'FailIndex', 'FailJob', 'Ignore'])),
        onExitCodes,
        onPodConditions,
      }),
    ),
  ),
});

export const successPolicy = object('When the job has succeeded, although not all indexes have.', {
  rules: required(
    items(
      'Rules, of which one suffices.',
      object('A rule.', {
        succeededIndexes: string('Indexes that must have succeeded, such as 1,3-5.'),
        succeededCount: int32('How many of them, where not all.'),
      }),
    ),
  ),
});
