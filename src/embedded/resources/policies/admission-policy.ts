/**
 * The strategy of ValidatingAdmissionPolicies: their fields are valid and their expressions compile. `admission`
 * evaluates them.
 */

import type { Problem } from '../../../base/errors.ts';
import { type JsonObject, jsonEqual } from '../../../base/json.ts';
import { objectAt, objectsAt, stringAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { checkDns1035Label, checkDnsSubdomain } from '../../../kubernetes/meta/index.ts';
import { validatingAdmissionPolicy } from '../../../kubernetes/types/index.ts';
import { compilePolicy } from '../../admission/index.ts';
import { builtinStrategy } from '../builtin-strategy.ts';
import { conditionProblems } from '../condition-problems.ts';
import { invalid, invalidText, required, unsupportedText } from '../field-problems.ts';
import { metadataOf } from '../object-edits.ts';
import { specAndStatusStrategy } from '../spec-status-strategy.ts';
import type { SubresourceStrategy } from '../strategy.ts';
import { matchResourcesProblems, withMatchDefaults } from './match-resources.ts';
import {
  auditAnnotationProblems,
  matchConditionProblems,
  validationProblems,
  variableProblems,
} from './policy-expressions.ts';

export const admissionPolicyStrategy = builtinStrategy({
  of: validatingAdmissionPolicy,
  ...specAndStatusStrategy(validatingAdmissionPolicy),
  allowsUnconditionalUpdate: false,
  afterSchemaDefaults: withPolicyDefaults,
  validateCreate: (object) => policyProblems(object, { areConditionsNew: true }),
  validateUpdate: (object, old) =>
    policyProblems(object, { areConditionsNew: !hasSameConditions(object, old) }),
  subresources: { status: statusSubresourceWithoutMetadata() },
});

function withPolicyDefaults(object: JsonObject): JsonObject {
  const spec = objectAt(object, 'spec') ?? {};
  const match = objectAt(spec, 'matchConstraints');
  return {
    ...object,
    spec: {
      ...spec,
      failurePolicy: spec.failurePolicy ?? 'Fail',
      ...(match === undefined ? {} : { matchConstraints: withMatchDefaults(match) }),
    },
  };
}

/** Match conditions that were accepted once are not validated again until they change. */
function hasSameConditions(object: JsonObject, old: JsonObject): boolean {
  return ['paramKind', 'matchConditions'].every((field) =>
    jsonEqual(objectAt(object, 'spec')?.[field] ?? null, objectAt(old, 'spec')?.[field] ?? null),
  );
}

function policyProblems(
  object: JsonObject,
  { areConditionsNew }: { readonly areConditionsNew: boolean },
): readonly Problem[] {
  const spec = objectAt(object, 'spec');
  const compiled = compilePolicy(object);
  const failurePolicy = stringAt(spec, 'failurePolicy');
  const hasChecks = objectsAt(spec, 'validations').length + objectsAt(spec, 'auditAnnotations').length > 0;
  return [
    ...(FAILURE_POLICIES.includes(failurePolicy)
      ? []
      : [unsupportedText('spec.failurePolicy', failurePolicy, FAILURE_POLICIES)]),
    ...paramKindProblems(objectAt(spec, 'paramKind'), 'spec.paramKind'),
    ...constraintProblems(objectAt(spec, 'matchConstraints'), 'spec.matchConstraints'),
    ...(areConditionsNew ? matchConditionProblems(spec, compiled) : []),
    ...variableProblems(spec, compiled),
    ...(hasChecks
      ? [...validationProblems(spec, compiled), ...auditAnnotationProblems(object, compiled)]
      : NO_CHECKS),
  ];
}

function constraintProblems(match: JsonObject | undefined, path: string): readonly Problem[] {
  if (match === undefined) return [required(path)];
  return [
    ...matchResourcesProblems(match, path),
    ...(objectsAt(match, 'resourceRules').length === 0 ? [required(`${path}.resourceRules`)] : []),
  ];
}

function paramKindProblems(kind: JsonObject | undefined, path: string): readonly Problem[] {
  if (kind === undefined) return [];
  const name = stringAt(kind, 'kind');
  const messages = checkDns1035Label(name.toLowerCase());
  const mixedCase = `may have mixed case, but should otherwise match: ${messages.join(',')}`;
  return [
    ...apiVersionProblems(stringAt(kind, 'apiVersion'), `${path}.apiVersion`),
    ...(name === '' ? [required(`${path}.kind`)] : []),
    ...(name !== '' && messages.length > 0 ? [invalidText(`${path}.kind`, name, mixedCase)] : []),
  ];
}

function apiVersionProblems(apiVersion: string, path: string): readonly Problem[] {
  if (apiVersion === '') return [required(path)];
  const parts = apiVersion.split('/');
  if (apiVersion !== '/' && parts.length > 2) {
    return [invalidText(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  }
  const [group, version] = parts.length === 1 ? ['', apiVersion] : [parts[0] ?? '', parts[1] ?? ''];
  const problemWith = (part: string, messages: readonly string[]): readonly Problem[] =>
    messages.length === 0 ? [] : [invalidText(path, part, messages.join(','))];
  return [
    ...(group === '' ? [] : problemWith(group, checkDnsSubdomain(group))),
    ...(version === ''
      ? [invalid(path, quoted(apiVersion), 'version must be specified')]
      : problemWith(version, checkDns1035Label(version))),
  ];
}

/** The status subresource of policies takes no metadata, not even labels. */
function statusSubresourceWithoutMetadata(): SubresourceStrategy {
  return {
    prepareForUpdate: (object, old) => ({
      ...old,
      // The resourceVersion is a precondition of the request, so it is taken from the new object.
      metadata: { ...metadataOf(old), ...versionOf(object) },
      status: object.status ?? {},
    }),
    validateUpdate: (object) => {
      const status = objectAt(object, 'status');
      return [...typeCheckingProblems(status), ...conditionProblems(status, 'status')];
    },
    resetFields: [['spec'], ['metadata']],
  };
}

function versionOf(object: JsonObject): JsonObject {
  const { resourceVersion } = metadataOf(object);
  return resourceVersion === undefined ? {} : { resourceVersion };
}

function typeCheckingProblems(status: JsonObject | undefined): readonly Problem[] {
  return objectsAt(status, 'typeChecking', 'expressionWarnings').flatMap((warning, index) =>
    ['warning', 'fieldRef']
      .filter((field) => stringAt(warning, field).trim() === '')
      .map((field) => required(`status.typeChecking.expressionWarnings[${index}].${field}`)),
  );
}

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const NO_CHECKS = ['spec.validations', 'spec.auditAnnotations'].map((path) =>
  required(path, 'validations or auditAnnotations must contain at least one item'),
);
