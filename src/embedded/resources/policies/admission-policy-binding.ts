/**
 * The strategy of ValidatingAdmissionPolicyBindings.
 */

import type { Problem } from '../../../base/errors.ts';
import { type JsonObject, jsonEqual } from '../../../base/json.ts';
import { objectAt, stringAt, stringsAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { checkDnsSubdomain } from '../../../kubernetes/meta/index.ts';
import { validatingAdmissionPolicyBinding } from '../../../kubernetes/types/index.ts';
import { builtinStrategy } from '../builtin-strategy.ts';
import { goStrings } from '../decoding/go-format.ts';
import { duplicateIndexes } from '../duplicate-indexes.ts';
import { duplicate, forbidden, invalid, invalidText, required, unsupportedText } from '../field-problems.ts';
import { generationOf, withGeneration } from '../object-edits.ts';
import { pathSegmentProblems } from '../path-segment.ts';
import { labelSelectorProblems } from '../workloads/label-selector.ts';
import { matchResourcesProblems, withMatchDefaults } from './match-resources.ts';

export const admissionPolicyBindingStrategy = builtinStrategy({
  of: validatingAdmissionPolicyBinding,
  allowsUnconditionalUpdate: false,
  afterSchemaDefaults: withBindingDefaults,
  prepareForCreate: (object) => withGeneration(object, 1),
  prepareForUpdate: (object, old) => {
    const increment = jsonEqual(object.spec ?? null, old.spec ?? null) ? 0 : 1;
    return withGeneration(object, generationOf(old) + increment);
  },
  validateCreate: bindingProblems,
  validateUpdate: bindingProblems,
});

function withBindingDefaults(object: JsonObject): JsonObject {
  const spec = objectAt(object, 'spec');
  const match = objectAt(spec, 'matchResources');
  if (match === undefined) return object;
  return { ...object, spec: { ...spec, matchResources: withMatchDefaults(match) } };
}

function bindingProblems(object: JsonObject): readonly Problem[] {
  const spec = objectAt(object, 'spec');
  const policy = stringAt(spec, 'policyName');
  return [
    ...(policy === ''
      ? [required('spec.policyName')]
      : checkDnsSubdomain(policy).map((detail) => invalidText('spec.policyName', policy, detail))),
    ...paramRefProblems(objectAt(spec, 'paramRef'), 'spec.paramRef'),
    ...matchResourcesProblems(objectAt(spec, 'matchResources'), 'spec.matchResources'),
    ...actionProblems(stringsAt(spec, 'validationActions'), 'spec.validationActions'),
  ];
}

function paramRefProblems(reference: JsonObject | undefined, path: string): readonly Problem[] {
  if (reference === undefined) return [];
  const name = stringAt(reference, 'name');
  const selector = objectAt(reference, 'selector');
  const action = stringAt(reference, 'parameterNotFoundAction');
  const hasBoth = name !== '' && selector !== undefined;
  const conflict = (field: string): readonly Problem[] =>
    hasBoth ? [forbidden(`${path}.${field}`, 'name and selector are mutually exclusive')] : [];
  return [
    ...pathSegmentProblems(name, false).map((detail) => invalidText(`${path}.name`, name, detail)),
    ...conflict('name'),
    ...labelSelectorProblems(selector, `${path}.selector`),
    ...conflict('selector'),
    ...(name === '' && selector === undefined
      ? [required(path, 'one of name or selector must be specified')]
      : []),
    ...notFoundActionProblems(action, `${path}.parameterNotFoundAction`),
  ];
}

function notFoundActionProblems(action: string, path: string): readonly Problem[] {
  if (action === '') return [required(path)];
  return ['Deny', 'Allow'].includes(action) ? [] : [unsupportedText(path, action, ['Deny', 'Allow'])];
}

function actionProblems(actions: readonly string[], path: string): readonly Problem[] {
  const duplicates = duplicateIndexes(actions);
  const problems = actions.flatMap((action, index) => [
    ...(ACTIONS.includes(action) ? [] : [unsupportedText(`${path}[${index}]`, action, ACTIONS)]),
    ...(duplicates.has(index) ? [duplicate(`${path}[${index}]`, quoted(action))] : []),
  ]);
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const value = goStrings(actions, '[]admissionregistration.ValidationAction');
    problems.push(invalid(path, value, DENY_AND_WARN));
  }
  if (actions.length === 0) problems.push(required(path, 'at least one validation action is required'));
  return problems;
}

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const DENY_AND_WARN =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
