/**
 * PodDisruptionBudget: limits how many pods may be down at once because of voluntary disruptions.
 */
import { labelSelector, type ObjectOfKind } from '../meta/index.ts';
import {
  dateTime,
  type Infer,
  int32,
  int64,
  intOrString,
  mapOf,
  named,
  oneOf,
  pointer,
  struct,
} from '../schema/index.ts';
import { defineBuiltin, statusSubresource } from './builtin.ts';
import { conditions } from './conditions.ts';
import { always, filled, patched, present } from './fields.ts';

const spec = struct('policy.PodDisruptionBudgetSpec', 'The minimum availability.', {
  selector: patched(labelSelector('Labels of the pods; an empty selector means all of the namespace.'), {
    strategy: 'replace',
  }),
  minAvailable: pointer(intOrString('How many must stay.')),
  maxUnavailable: pointer(intOrString('How many may be missing; given in place of minAvailable.')),
  unhealthyPodEvictionPolicy: pointer(
    named(
      'policy.UnhealthyPodEvictionPolicyType',
      oneOf('Whether pods that are not ready may always be evicted.', ['AlwaysAllow', 'IfHealthyBudget']),
    ),
  ),
});
type PodDisruptionBudgetSpec = {
  readonly [Field in keyof Infer<typeof spec>]: Infer<typeof spec>[Field];
};

const status = struct('policy.PodDisruptionBudgetStatus', 'How much room there is.', {
  disruptionsAllowed: always(int32('The number of evictions that are allowed now.')),
  currentHealthy: always(int32('How many are healthy.')),
  desiredHealthy: always(int32('How many must be.')),
  expectedPods: always(int32('How many there should be.')),
  disruptedPods: mapOf(
    'Pods whose eviction was allowed and that are not gone yet.',
    dateTime('When it was allowed.'),
  ),
  observedGeneration: int64('The observed generation; evictions are refused until it is the current one.'),
  conditions: conditions('The conditions of the budget.'),
});
export type PodDisruptionBudgetStatus = {
  readonly [Field in keyof Infer<typeof status>]: Infer<typeof status>[Field];
};

export const podDisruptionBudget = defineBuiltin({
  group: 'policy',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  description: 'Limits the number of pods that voluntary disruptions take down at once.',
  subresources: [statusSubresource],
  fields: { spec: present<PodDisruptionBudgetSpec>(spec), status: filled<PodDisruptionBudgetStatus>(status) },
});
export type PodDisruptionBudget = ObjectOfKind<typeof podDisruptionBudget>;
