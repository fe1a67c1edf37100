/**
 * Shared by the kinds that create pods from a template.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt, stringAt, valueAt } from '../../../base/json-fields.ts';
import { checkDnsLabel } from '../../../kubernetes/meta/index.ts';
import { goLabelSelector } from '../decoding/go-format.ts';
import { forbidden, invalid, required, unsupportedText } from '../field-problems.ts';
import { generationOf, withChangedField } from '../object-edits.ts';
import { podTemplateProblems, podTemplateWithDefaults } from '../pods/pod-template.ts';
import { podTemplateWarnings } from '../pods/pod-warnings.ts';
import {
  hasNoRequirements,
  isValidSelector,
  labelSelectorProblems,
  matchesTemplate,
  noMatchProblem,
} from './label-selector.ts';

/** Sets the defaults of the pod template, then those of the spec. */
export function withSpecDefaults(object: JsonObject, defaults: (spec: JsonObject) => JsonObject): JsonObject {
  const spec = withChangedField(objectAt(object, 'spec') ?? {}, 'template', podTemplateWithDefaults);
  return { ...object, spec: defaults(spec) };
}

/** Warnings about the template, and about a name that is invalid for pods. */
export function workloadWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  if (old === undefined) return [...nameWarnings(object), ...templateWarnings(object)];
  return generationOf(object) === generationOf(old) ? [] : templateWarnings(object);
}

export function templateWarnings(object: JsonObject): readonly string[] {
  return podTemplateWarnings(objectAt(object, 'spec', 'template'), 'spec.template');
}

export function nameWarnings(object: JsonObject): readonly string[] {
  const messages = checkDnsLabel(stringAt(object, 'metadata', 'name'));
  return messages.length === 0 ? [] : [`${HOSTNAME_WARNING}: [${messages.join(' ')}]`];
}

/** Validates the selector and the template of Deployments and ReplicaSets. */
export function replicaProblems(spec: JsonObject): readonly Problem[] {
  const selector = objectAt(spec, 'selector');
  const template = objectAt(spec, 'template');
  const problemWith = (detail: string): Problem =>
    invalid('spec.selector', goLabelSelector(selector), detail);
  const problems: Problem[] =
    selector === undefined
      ? [required('spec.selector')]
      : [...labelSelectorProblems(selector, 'spec.selector')];
  if (selector !== undefined && hasNoRequirements(selector)) {
    problems.push(problemWith('empty selector is invalid for deployment'));
  }
  if (!isValidSelector(selector)) return [...problems, problemWith('invalid label selector')];
  if (!matchesTemplate(selector, template)) problems.push(noMatchProblem(template, 'spec.template'));
  return [
    ...problems,
    ...podTemplateProblems(template, 'spec.template'),
    ...alwaysRestartProblems(template, 'ReplicaSet'),
  ];
}

/** Pods that are replaced when they finish need `restartPolicy: Always`. */
export function alwaysRestartProblems(
  template: JsonObject | undefined,
  kind: 'ReplicaSet' | 'DaemonSet',
): readonly Problem[] {
  const path = 'spec.template.spec';
  const policy = stringAt(template, 'spec', 'restartPolicy');
  const hasDeadline = valueAt(template, 'spec', 'activeDeadlineSeconds') !== undefined;
  return [
    ...(policy === 'Always' ? [] : [unsupportedText(`${path}.restartPolicy`, policy, ['Always'])]),
    ...(hasDeadline
      ? [forbidden(`${path}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]
      : []),
  ];
}

const HOSTNAME_WARNING =
  'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
