/**
 * The strategy of Jobs: nearly all of the spec is immutable.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { numberAt, objectAt, optionalNumberAt, stringAt, valueAt } from '../../../base/json-fields.ts';
import { checkDnsLabel } from '../../../kubernetes/meta/index.ts';
import { job } from '../../../kubernetes/types/index.ts';
import { builtinStrategy } from '../builtin-strategy.ts';
import { invalidText, required } from '../field-problems.ts';
import { generationOf, withChangedField, withChangedItems } from '../object-edits.ts';
import { podTemplateProblems } from '../pods/pod-template.ts';
import { specAndStatusStrategy, statusSubresourceWithGeneration } from '../spec-status-strategy.ts';
import { generatedSelectorProblems, withGeneratedSelector, withLabelsOfTemplate } from './job-selector.ts';
import { jobSpecProblems, restartPolicyProblems } from './job-spec.ts';
import { jobStatusProblems } from './job-status.ts';
import { jobUpdateProblems } from './job-update.ts';
import { isValidSelector, labelSelectorProblems, matchesTemplate, noMatchProblem } from './label-selector.ts';
import { nameWarnings, templateWarnings, withSpecDefaults } from './pod-workload.ts';

const prepared = specAndStatusStrategy(job);

export const jobStrategy = builtinStrategy({
  of: job,
  ...prepared,
  afterSchemaDefaults: (object) => withSpecDefaults(object, withJobDefaults),
  prepareForCreate: (object, context) =>
    withLabelsOfTemplate(prepared.prepareForCreate(withGeneratedSelector(object), context)),
  prepareForUpdate: (object, old, context) =>
    withLabelsOfTemplate(prepared.prepareForUpdate(object, old, context)),
  validateCreate: jobProblems,
  // kube-apiserver validates the spec twice on update, and reports each problem twice.
  validateUpdate: (object, old) => [
    ...jobProblems(object),
    ...specProblems(objectAt(object, 'spec') ?? {}),
    ...jobUpdateProblems(object, old),
  ],
  warnings: (object, old) => {
    if (old !== undefined && generationOf(old) === generationOf(object)) return [];
    const ofName = old === undefined ? nameWarnings(object) : [];
    return [...ofName, ...indexWarnings(object), ...templateWarnings(object)];
  },
  subresources: { status: statusSubresourceWithGeneration({ validateUpdate: jobStatusProblems }) },
});

function withJobDefaults(spec: JsonObject): JsonObject {
  const isCounted = optionalNumberAt(spec, 'completions') ?? optionalNumberAt(spec, 'parallelism');
  const isLimited = optionalNumberAt(spec, 'backoffLimitPerIndex') !== undefined;
  const hasPolicy = valueAt(spec, 'podFailurePolicy') !== undefined;
  const filled = {
    ...(isCounted === undefined ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: isLimited ? MAX_INT32 : 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: hasPolicy ? 'Failed' : 'TerminatingOrFailed',
    manualSelector: false,
    ...spec,
  };
  return withChangedField(filled, 'podFailurePolicy', (policy) =>
    withChangedItems(policy, 'rules', (rule) => withChangedItems(rule, 'onPodConditions', withStatus)),
  );
}

/** The status of an expected condition defaults to True. */
function withStatus(pattern: JsonObject): JsonObject {
  return { ...pattern, status: stringAt(pattern, 'status') || 'True' };
}

function jobProblems(object: JsonObject): readonly Problem[] {
  return [
    ...generatedSelectorProblems(object),
    ...specProblems(objectAt(object, 'spec') ?? {}),
    ...hostnameProblems(object),
  ];
}

function specProblems(spec: JsonObject): readonly Problem[] {
  const selector = objectAt(spec, 'selector');
  const template = objectAt(spec, 'template');
  return [
    ...jobSpecProblems(spec),
    ...podTemplateProblems(template, 'spec.template'),
    ...restartPolicyProblems(spec),
    ...(selector === undefined
      ? [required('spec.selector')]
      : labelSelectorProblems(selector, 'spec.selector')),
    ...(isValidSelector(selector) && !matchesTemplate(selector, template)
      ? [noMatchProblem(template, 'spec.template')]
      : []),
  ];
}

/** Pods of Indexed jobs are named after the job and their index, which must be a valid hostname. */
function hostnameProblems(object: JsonObject): readonly Problem[] {
  const completions = numberAt(object, 'spec', 'completions');
  if (stringAt(object, 'spec', 'completionMode') !== 'Indexed' || completions <= 0) return [];
  const name = stringAt(object, 'metadata', 'name');
  const hostname = `${name}-${completions - 1}`;
  if (checkDnsLabel(hostname).length === 0) return [];
  const detail = `will not able to create pod with invalid DNS label: ${hostname}`;
  return [invalidText('metadata.name', name, detail)];
}

function indexWarnings(object: JsonObject): readonly string[] {
  const spec = objectAt(object, 'spec');
  const isLarge =
    stringAt(spec, 'completionMode') === 'Indexed' &&
    numberAt(spec, 'completions') > 100_000 &&
    numberAt(spec, 'parallelism') > 10_000;
  return isLarge ? [TOO_MANY_TO_TRACK] : [];
}

const MAX_INT32 = 2 ** 31 - 1;
const TOO_MANY_TO_TRACK =
  'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
