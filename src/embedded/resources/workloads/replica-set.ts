/**
 * The strategy of ReplicaSets.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt, optionalNumberAt } from '../../../base/json-fields.ts';
import { replicaSet } from '../../../kubernetes/types/index.ts';
import { builtinStrategy } from '../builtin-strategy.ts';
import { negativeProblems, twice } from '../field-problems.ts';
import { specAndStatusStrategy, statusSubresourceWithGeneration } from '../spec-status-strategy.ts';
import { changedSelectorProblems } from './label-selector.ts';
import { replicaProblems, withSpecDefaults, workloadWarnings } from './pod-workload.ts';
import { countProblems, partProblems } from './replica-counts.ts';

export const replicaSetStrategy = builtinStrategy({
  of: replicaSet,
  ...specAndStatusStrategy(replicaSet),
  afterSchemaDefaults: (object) => withSpecDefaults(object, (spec) => ({ replicas: 1, ...spec })),
  validateCreate: specProblems,
  validateUpdate: (object, old) => [
    ...twice(specProblems(object)),
    ...changedSelectorProblems(objectAt(object, 'spec'), objectAt(old, 'spec')),
  ],
  warnings: workloadWarnings,
  subresources: {
    status: statusSubresourceWithGeneration({
      validateUpdate: statusProblems,
      unusedFields: ['terminatingReplicas'],
    }),
  },
});

function specProblems(object: JsonObject): readonly Problem[] {
  const spec = objectAt(object, 'spec') ?? {};
  return [
    ...negativeProblems('spec.replicas', optionalNumberAt(spec, 'replicas')),
    ...negativeProblems('spec.minReadySeconds', optionalNumberAt(spec, 'minReadySeconds')),
    ...replicaProblems(spec),
  ];
}

function statusProblems(object: JsonObject): readonly Problem[] {
  const parts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];
  return [
    ...countProblems(object, ['replicas', ...parts, 'observedGeneration', 'terminatingReplicas']),
    ...partProblems(object, parts),
  ];
}
