/**
 * Immutable fields of jobs.
 */

import type { Problem } from '../../../base/errors.ts';
import { type Json, type JsonObject, jsonEqual } from '../../../base/json.ts';
import { objectAt, objectsAt, optionalNumberAt, stringAt, valueAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { GO_NULL } from '../decoding/go-format.ts';
import { invalid } from '../field-problems.ts';
import { withFieldOf, without } from '../object-edits.ts';
import { changedSelectorProblems } from './label-selector.ts';

export function jobUpdateProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  const spec = objectAt(object, 'spec') ?? {};
  const before = objectAt(old, 'spec') ?? {};
  return [
    ...completionsProblems(spec, before),
    ...changedSelectorProblems(spec, before),
    ...templateProblems(spec, old),
    ...IMMUTABLE_FIELDS.flatMap((field) => fixedProblems(spec, before, field)),
  ];
}

/** `completions` of an Indexed job can change together with `parallelism`. */
function completionsProblems(spec: JsonObject, before: JsonObject): readonly Problem[] {
  if (stringAt(spec, 'completionMode') !== 'Indexed') return fixedProblems(spec, before, 'completions');
  const completions = optionalNumberAt(spec, 'completions');
  const isSame = completions === undefined || completions === optionalNumberAt(before, 'completions');
  if (isSame || completions === optionalNumberAt(spec, 'parallelism')) return [];
  const detail = 'can only be modified in tandem with spec.parallelism';
  return [invalid('spec.completions', String(completions), detail)];
}

/** The scheduling directives of a suspended job can change until it has started. */
function templateProblems(spec: JsonObject, old: JsonObject): readonly Problem[] {
  const template = objectAt(spec, 'template') ?? {};
  const before = objectAt(old, 'spec', 'template') ?? {};
  const isOpen =
    valueAt(old, 'spec', 'suspend') === true && valueAt(old, 'status', 'startTime') === undefined;
  const expected = isOpen ? withPlacementOf(template, before) : before;
  if (jsonEqual(template, expected)) return [];
  return [invalid('spec.template', 'core.PodTemplateSpec{…}', 'field is immutable')];
}

/** The old template with labels, annotations and scheduling directives of the new one. */
function withPlacementOf(template: JsonObject, before: JsonObject): JsonObject {
  const [metadata, oldMetadata] = [template, before].map((one) => objectAt(one, 'metadata') ?? {});
  const [pod, oldPod] = [template, before].map((one) => objectAt(one, 'spec') ?? {});
  const take = (fields: readonly string[], from: JsonObject = {}, to: JsonObject = {}): JsonObject =>
    fields.reduce((taken, field) => withFieldOf(taken, from, field), to);
  return {
    ...before,
    metadata: take(['labels', 'annotations'], metadata, oldMetadata),
    spec: take(
      ['affinity', 'nodeSelector', 'tolerations', 'schedulingGates'],
      withAffinity(pod, oldPod),
      oldPod,
    ),
  };
}

/** Only the node affinity is mutable. */
function withAffinity(pod: JsonObject = {}, oldPod: JsonObject = {}): JsonObject {
  const affinity = objectAt(pod, 'affinity');
  const old = objectAt(oldPod, 'affinity') ?? {};
  const others = without(old, 'nodeAffinity');
  if (affinity === undefined) {
    return Object.keys(others).length === 0 ? pod : { ...pod, affinity: others };
  }
  return { ...pod, affinity: withFieldOf(others, affinity, 'nodeAffinity') };
}

function fixedProblems(spec: JsonObject, before: JsonObject, field: string): readonly Problem[] {
  const value = valueAt(spec, field);
  if (jsonEqual(value ?? null, valueAt(before, field) ?? null)) return [];
  return [invalid(`spec.${field}`, formatted(field, value), 'field is immutable')];
}

function formatted(field: string, value: Json | undefined): string {
  if (value === undefined) return GO_NULL;
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return String(value);
  const type = field === 'successPolicy' ? 'SuccessPolicy' : 'PodFailurePolicy';
  const rules = objectsAt(value, 'rules').length === 0 ? '' : '…';
  return `batch.${type}{Rules:[]batch.${type}Rule{${rules}}}`;
}

const IMMUTABLE_FIELDS = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
];
