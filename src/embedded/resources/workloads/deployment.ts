/**
 * The strategy of Deployments. Annotations also increment the generation, because they are copied to the ReplicaSets.
 */

import type { Problem } from '../../../base/errors.ts';
import { type JsonObject, jsonEqual } from '../../../base/json.ts';
import { numberAt, objectAt, optionalNumberAt, stringAt, valueAt } from '../../../base/json-fields.ts';
import { deployment } from '../../../kubernetes/types/index.ts';
import { builtinStrategy } from '../builtin-strategy.ts';
import { goIntOrString } from '../decoding/go-format.ts';
import { readInt64 } from '../decoding/go-integer.ts';
import { forbidden, invalid, negativeProblems, unsupported } from '../field-problems.ts';
import { withChangedField } from '../object-edits.ts';
import { specAndStatusStrategy, statusSubresourceWithGeneration } from '../spec-status-strategy.ts';
import type { Strategy } from '../strategy.ts';
import { above100PercentProblems, amountOf, intOrPercentProblems } from './int-or-percent.ts';
import { changedSelectorProblems } from './label-selector.ts';
import { replicaProblems, withSpecDefaults, workloadWarnings } from './pod-workload.ts';
import { collisionProblems, countProblems, partProblems } from './replica-counts.ts';
import { formatStrategy } from './update-strategy.ts';

const base = builtinStrategy({
  of: deployment,
  ...specAndStatusStrategy(deployment, haveAnnotationsChanged),
  afterSchemaDefaults: (object) => withSpecDefaults(object, withDeploymentDefaults),
  validateCreate: specProblems,
  validateUpdate: (object, old) => [
    ...specProblems(object),
    ...changedSelectorProblems(objectAt(object, 'spec'), objectAt(old, 'spec')),
  ],
  warnings: workloadWarnings,
  subresources: {
    status: statusSubresourceWithGeneration({
      validateUpdate: statusProblems,
      keptMetadata: ['labels'],
      unusedFields: ['terminatingReplicas'],
    }),
  },
});

export const deploymentStrategy: Strategy = {
  ...base,
  decode: (sent) => {
    const decoded = base.decode(sent);
    const revision =
      decoded.kind === 'failed' ? '' : stringAt(decoded.object, 'metadata', 'annotations', ROLLBACK);
    const read = readInt64(revision || '0');
    if (read.kind === 'read') return decoded;
    const message = `failed to parse annotation[${ROLLBACK}]=${revision} as int64: ${read.message}`;
    return { kind: 'failed', message };
  },
};

/** The annotation that replaced a field of the first versions. */
const ROLLBACK = 'deprecated.deployment.rollback.to';

function haveAnnotationsChanged(object: JsonObject, old: JsonObject): boolean {
  const [now, before] = [object, old].map((one) => objectAt(one, 'metadata', 'annotations') ?? {});
  return !jsonEqual(now, before);
}

function withDeploymentDefaults(spec: JsonObject): JsonObject {
  const filled = { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, ...spec };
  return withChangedField({ strategy: {}, ...filled }, 'strategy', (strategy) => {
    const type = stringAt(strategy, 'type') || 'RollingUpdate';
    if (type !== 'RollingUpdate') return { ...strategy, type };
    const steps = { maxUnavailable: '25%', maxSurge: '25%', ...objectAt(strategy, 'rollingUpdate') };
    return { ...strategy, type, rollingUpdate: steps };
  });
}

function specProblems(object: JsonObject): readonly Problem[] {
  const spec = objectAt(object, 'spec') ?? {};
  const negative = (field: string): readonly Problem[] =>
    negativeProblems(`spec.${field}`, optionalNumberAt(spec, field));
  return [
    ...negative('replicas'),
    ...replicaProblems(spec),
    ...strategyProblems(objectAt(spec, 'strategy') ?? {}, 'spec.strategy'),
    ...negative('minReadySeconds'),
    ...negative('revisionHistoryLimit'),
    ...rollbackProblems(object),
    ...negative('progressDeadlineSeconds'),
    ...deadlineProblems(spec),
  ];
}

function strategyProblems(strategy: JsonObject, path: string): readonly Problem[] {
  const steps = objectAt(strategy, 'rollingUpdate');
  switch (stringAt(strategy, 'type')) {
    case 'Recreate':
      return steps === undefined ? [] : [forbidden(`${path}.rollingUpdate`, NO_STEPS)];
    case 'RollingUpdate':
      return stepProblems(steps ?? {}, `${path}.rollingUpdate`);
    default:
      return [unsupported(path, formatStrategy(strategy, 'Deployment'), ['Recreate', 'RollingUpdate'])];
  }
}

/** `maxUnavailable` and `maxSurge` cannot both be zero. */
function stepProblems(steps: JsonObject, path: string): readonly Problem[] {
  const [missing, surplus] = [valueAt(steps, 'maxUnavailable'), valueAt(steps, 'maxSurge')];
  const isStuck = amountOf(missing) === 0 && amountOf(surplus) === 0;
  return [
    ...intOrPercentProblems(`${path}.maxUnavailable`, missing),
    ...intOrPercentProblems(`${path}.maxSurge`, surplus),
    ...(isStuck
      ? [invalid(`${path}.maxUnavailable`, goIntOrString(missing), 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...above100PercentProblems(`${path}.maxUnavailable`, missing),
  ];
}

function rollbackProblems(object: JsonObject): readonly Problem[] {
  const read = readInt64(stringAt(object, 'metadata', 'annotations', ROLLBACK) || '0');
  return read.kind === 'read' ? negativeProblems('spec.rollback.version', Number(read.value)) : [];
}

function deadlineProblems(spec: JsonObject): readonly Problem[] {
  const deadline = optionalNumberAt(spec, 'progressDeadlineSeconds');
  if (deadline === undefined || deadline > numberAt(spec, 'minReadySeconds')) return [];
  const detail = 'must be greater than minReadySeconds';
  return [invalid('spec.progressDeadlineSeconds', String(deadline), detail)];
}

function statusProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  const parts = ['updatedReplicas', 'readyReplicas', 'availableReplicas'];
  const others = ['unavailableReplicas', 'terminatingReplicas', 'collisionCount'];
  return [
    ...countProblems(object, ['observedGeneration', 'replicas', ...parts, ...others]),
    ...partProblems(object, parts),
    ...collisionProblems(object, old),
  ];
}

const NO_STEPS = "may not be specified when strategy `type` is 'Recreate'";
