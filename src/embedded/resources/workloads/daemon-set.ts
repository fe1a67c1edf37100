/**
 * The strategy of DaemonSets. An annotation holds the template generation, which was a field in the first versions.
 */

import type { Problem } from '../../../base/errors.ts';
import { type JsonObject, jsonEqual } from '../../../base/json.ts';
import {
  objectAt,
  optionalNumberAt,
  optionalStringAt,
  stringAt,
  valueAt,
} from '../../../base/json-fields.ts';
import { daemonSet } from '../../../kubernetes/types/index.ts';
import { builtinStrategy } from '../builtin-strategy.ts';
import { goIntOrString, goLabelSelector } from '../decoding/go-format.ts';
import { readInt64 } from '../decoding/go-integer.ts';
import { invalid, negativeProblems, required, twice, unsupported } from '../field-problems.ts';
import { withChangedField, withValueAt } from '../object-edits.ts';
import { podTemplateProblems } from '../pods/pod-template.ts';
import { specAndStatusStrategy, statusSubresourceWithGeneration } from '../spec-status-strategy.ts';
import type { Strategy } from '../strategy.ts';
import { above100PercentProblems, amountOf, intOrPercentProblems } from './int-or-percent.ts';
import {
  changedSelectorProblems,
  hasNoRequirements,
  isValidSelector,
  labelSelectorProblems,
  matchesTemplate,
  noMatchProblem,
} from './label-selector.ts';
import { alwaysRestartProblems, templateWarnings, withSpecDefaults } from './pod-workload.ts';
import { collisionProblems, countProblems } from './replica-counts.ts';
import { formatStrategy } from './update-strategy.ts';

const prepared = specAndStatusStrategy(daemonSet);
const statusSubresource = statusSubresourceWithGeneration({ validateUpdate: statusProblems });

const base = builtinStrategy({
  of: daemonSet,
  ...prepared,
  // The annotation is set with the defaults, so that the field manager of the request owns it.
  afterSchemaDefaults: (object) =>
    withTemplateGeneration(withSpecDefaults(object, withDaemonSetDefaults), templateGeneration(object)),
  prepareForCreate: (object, context) => {
    const count = templateGeneration(object);
    return withTemplateGeneration(prepared.prepareForCreate(object, context), count < 1n ? 1n : count);
  },
  prepareForUpdate: (object, old, context) => {
    const increment = isTemplateNew(object, old) ? 1n : 0n;
    return withTemplateGeneration(
      prepared.prepareForUpdate(object, old, context),
      templateGeneration(old) + increment,
    );
  },
  validateCreate: specProblems,
  validateUpdate: (object, old) => [
    ...twice(specProblems(object)),
    ...changedSelectorProblems(objectAt(object, 'spec'), objectAt(old, 'spec')),
  ],
  warnings: (object, old) =>
    old === undefined || isTemplateNew(object, old) ? templateWarnings(object) : [],
  subresources: {
    status: {
      ...statusSubresource,
      prepareForUpdate: (object, old, context) =>
        withTemplateGeneration(
          statusSubresource.prepareForUpdate(object, old, context),
          templateGeneration(old),
        ),
    },
  },
});

export const daemonSetStrategy: Strategy = {
  ...base,
  decode: (sent) => {
    const decoded = base.decode(sent);
    if (decoded.kind === 'failed') return decoded;
    const read = readInt64(optionalStringAt(decoded.object, ...TEMPLATE_GENERATION) ?? '0');
    return read.kind === 'failed' ? read : decoded;
  },
};

const TEMPLATE_GENERATION = ['metadata', 'annotations', 'deprecated.daemonset.template.generation'];

function templateGeneration(object: JsonObject): bigint {
  const read = readInt64(stringAt(object, ...TEMPLATE_GENERATION));
  return read.kind === 'read' ? read.value : 0n;
}

function withTemplateGeneration(object: JsonObject, count: bigint): JsonObject {
  return withValueAt(object, TEMPLATE_GENERATION, String(count));
}

function isTemplateNew(object: JsonObject, old: JsonObject): boolean {
  const [now, before] = [object, old].map((one) => valueAt(one, 'spec', 'template') ?? null);
  return !jsonEqual(now, before);
}

function withDaemonSetDefaults(spec: JsonObject): JsonObject {
  return withChangedField(
    { updateStrategy: {}, revisionHistoryLimit: 10, ...spec },
    'updateStrategy',
    (strategy) => {
      const type = stringAt(strategy, 'type') || 'RollingUpdate';
      const steps = objectAt(strategy, 'rollingUpdate');
      if (type === 'RollingUpdate') {
        return { ...strategy, type, rollingUpdate: { maxUnavailable: 1, maxSurge: 0, ...steps } };
      }
      // `rollingUpdate` of another strategy is kept, with zeros for missing fields.
      if (steps === undefined) return { ...strategy, type };
      return { ...strategy, type, rollingUpdate: { maxUnavailable: 0, maxSurge: 0, ...steps } };
    },
  );
}

function specProblems(object: JsonObject): readonly Problem[] {
  const spec = objectAt(object, 'spec') ?? {};
  const selector = objectAt(spec, 'selector');
  const template = objectAt(spec, 'template');
  const negative = (field: string): readonly Problem[] =>
    negativeProblems(`spec.${field}`, optionalNumberAt(spec, field));
  return [
    ...labelSelectorProblems(selector, 'spec.selector'),
    ...(isValidSelector(selector) && !matchesTemplate(selector, template)
      ? [noMatchProblem(template, 'spec.template')]
      : []),
    ...(selector !== undefined && hasNoRequirements(selector)
      ? [invalid('spec.selector', goLabelSelector(selector), 'empty selector is invalid for daemonset')]
      : []),
    ...podTemplateProblems(template, 'spec.template'),
    ...alwaysRestartProblems(template, 'DaemonSet'),
    ...negative('minReadySeconds'),
    ...strategyProblems(objectAt(spec, 'updateStrategy') ?? {}, 'spec.updateStrategy'),
    ...negative('revisionHistoryLimit'),
  ];
}

function strategyProblems(strategy: JsonObject, path: string): readonly Problem[] {
  switch (stringAt(strategy, 'type')) {
    case 'OnDelete':
      return [];
    case 'RollingUpdate':
      return stepProblems(objectAt(strategy, 'rollingUpdate') ?? {}, `${path}.rollingUpdate`);
    default:
      return [unsupported(path, formatStrategy(strategy, 'DaemonSet'), ['RollingUpdate', 'OnDelete'])];
  }
}

/** `maxUnavailable` and `maxSurge` cannot both be zero, nor both be non-zero. */
function stepProblems(steps: JsonObject, path: string): readonly Problem[] {
  const amounts = ['maxUnavailable', 'maxSurge'].map((field) => [field, valueAt(steps, field)] as const);
  const [missing, surplus] = amounts.map(([, amount]) => amountOf(amount));
  return [
    ...amounts.flatMap(([field, amount]) => intOrPercentProblems(`${path}.${field}`, amount)),
    ...amounts.flatMap(([field, amount]) => above100PercentProblems(`${path}.${field}`, amount)),
    ...(missing !== 0 && surplus !== 0
      ? [
          invalid(
            `${path}.maxSurge`,
            goIntOrString(valueAt(steps, 'maxSurge')),
            'may not be set when maxUnavailable is non-zero',
          ),
        ]
      : []),
    ...(missing === 0 && surplus === 0
      ? [required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')]
      : []),
  ];
}

function statusProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  return [...countProblems(object, COUNTS), ...collisionProblems(object, old)];
}

const COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];
