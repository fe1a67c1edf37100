/**
 * Policies by which a job fails or succeeds early.
 */
import { int32, list, named, oneOf, pointer, required, string, struct } from '../schema/index.ts';
import { items, withDefault } from './fields.ts';

const onExitCodes = struct('batch.PodFailurePolicyOnExitCodesRequirement', 'How a container ended.', {
  containerName: pointer(string('Which container; any unless given.')),
  operator: required(
    named(
      'batch.PodFailurePolicyOnExitCodesOperator',
      oneOf('Whether its code must be among the values, or must not.', ['In', 'NotIn']),
    ),
  ),
  values: required(list('The codes.', int32('A code.'), { list: 'set' })),
});

const onPodConditions = items(
  'Conditions, of which the pod has one.',
  struct('batch.PodFailurePolicyOnPodConditionsPattern', 'A condition.', {
    type: required(named('core.PodConditionType', string('Its type.'))),
    status: required(withDefault(named('core.ConditionStatus', string('Its status.')), 'True')),
  }),
);

export const podFailurePolicy = struct('batch.PodFailurePolicy', 'The effect of failed pods on the job.', {
  rules: required(
    items(
      'Rules, of which the first that fits counts.',
      struct('batch.PodFailurePolicyRule', 'A rule, on exit codes or on conditions.', {
        action: required(
          named(
            'batch.PodFailurePolicyAction',
            oneOf('The action if the rule matches.', ['Count', 'FailIndex', 'FailJob', 'Ignore']),
          ),
        ),
        onExitCodes,
        onPodConditions,
      }),
    ),
  ),
});

export const successPolicy = struct(
  'batch.SuccessPolicy',
  'When the job has succeeded, although not all indexes have.',
  {
    rules: required(
      items(
        'Rules, of which one suffices.',
        struct('batch.SuccessPolicyRule', 'A rule.', {
          succeededIndexes: pointer(string('Indexes that must have succeeded, such as 1,3-5.')),
          succeededCount: pointer(int32('How many of them, where not all.')),
        }),
      ),
    ),
  },
);
