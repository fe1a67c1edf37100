/**
 * ReplicaSets: a number of pods that are alike.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt, optionalNumberAt } from '../../../base/json-fields.ts';
import { replicaSet } from '../../../kubernetes/types/index.ts';
import { negativeProblems, twice } from '../field-problems.ts';
import { builtinRules } from '../rules.ts';
import { specAndStatus, statusDoorOf } from '../spec-and-status.ts';
import { changedSelectorProblems } from './label-selector.ts';
import { replicaProblems, withSpecDefaults, workloadWarnings } from './pod-workload.ts';
import { countProblems, partProblems } from './replica-counts.ts';

export const replicaSetRules = builtinRules({
  of: replicaSet,
  ...specAndStatus(replicaSet),
  defaultsAfter: (object) => withSpecDefaults(object, (spec) => ({ replicas: 1, ...spec })),
  checkCreate: specProblems,
  checkUpdate: (object, old) => [
    ...twice(specProblems(object)),
    ...changedSelectorProblems(objectAt(object, 'spec'), objectAt(old, 'spec')),
  ],
  warnings: workloadWarnings,
  doors: { status: statusDoorOf({ check: statusProblems, unusedFields: ['terminatingReplicas'] }) },
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
