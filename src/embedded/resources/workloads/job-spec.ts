/**
 * Validation of a job spec, except for its selector and template.
 */

import type { Problem } from '../../../base/errors.ts';
import { byteLength, type JsonObject } from '../../../base/json.ts';
import {
  numberAt,
  objectsAt,
  optionalNumberAt,
  optionalStringAt,
  stringAt,
  valueAt,
} from '../../../base/json-fields.ts';
import { checkDnsSubdomain } from '../../../kubernetes/meta/index.ts';
import {
  invalid,
  invalidText,
  negativeProblems,
  required,
  tooLong,
  unsupportedText,
} from '../field-problems.ts';
import {
  podFailurePolicyProblems,
  podReplacementPolicyProblems,
  successPolicyProblems,
} from './job-policies.ts';

export function jobSpecProblems(spec: JsonObject): readonly Problem[] {
  const isIndexed = stringAt(spec, 'completionMode') === 'Indexed';
  return [
    ...COUNTS.flatMap((field) => negativeProblems(`spec.${field}`, optionalNumberAt(spec, field))),
    ...(optionalNumberAt(spec, 'maxFailedIndexes') !== undefined &&
    optionalNumberAt(spec, 'backoffLimitPerIndex') === undefined
      ? [required('spec.backoffLimitPerIndex', 'when maxFailedIndexes is specified')]
      : []),
    ...managedByProblems(optionalStringAt(spec, 'managedBy'), 'spec.managedBy'),
    ...modeProblems(optionalStringAt(spec, 'completionMode'), 'spec.completionMode'),
    ...(isIndexed ? indexedProblems(spec) : notIndexedProblems(spec)),
    ...(valueAt(spec, 'podFailurePolicy') === undefined
      ? []
      : podFailurePolicyProblems(spec, 'spec.podFailurePolicy')),
    ...(valueAt(spec, 'successPolicy') === undefined ? [] : earlySuccessProblems(spec, isIndexed)),
    ...podReplacementPolicyProblems(spec, 'spec.podReplacementPolicy'),
  ];
}

/** Pods of a job must be able to finish. */
export function restartPolicyProblems(spec: JsonObject): readonly Problem[] {
  const path = 'spec.template.spec.restartPolicy';
  const policy = stringAt(spec, 'template', 'spec', 'restartPolicy');
  if (policy === '' || policy === 'Always') return [required(path, 'valid values: "OnFailure", "Never"')];
  if (!['OnFailure', 'Never'].includes(policy)) {
    return [unsupportedText(path, policy, ['OnFailure', 'Never'])];
  }
  if (policy === 'Never' || valueAt(spec, 'podFailurePolicy') === undefined) return [];
  return [invalidText(path, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

function managedByProblems(manager: string | undefined, path: string): readonly Problem[] {
  if (manager === undefined) return [];
  return [
    ...domainPathProblems(manager, path),
    ...(byteLength(manager) > MAX_MANAGER_BYTES ? [tooLong(path, MAX_MANAGER_BYTES)] : []),
  ];
}

/** `example.com/name`. */
function domainPathProblems(text: string, path: string): readonly Problem[] {
  if (text === '') return [required(path)];
  const slash = text.indexOf('/');
  const [host, rest] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash <= 0 || rest === '') {
    return [invalidText(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  return [
    ...checkDnsSubdomain(host).map((detail) => invalidText(path, host, detail)),
    ...(URL_PATH.test(rest) ? [] : [invalidText(path, rest, NOT_A_PATH)]),
  ];
}

function modeProblems(mode: string | undefined, path: string): readonly Problem[] {
  const modes = ['NonIndexed', 'Indexed'];
  return mode === undefined || modes.includes(mode) ? [] : [unsupportedText(path, mode, modes)];
}

function indexedProblems(spec: JsonObject): readonly Problem[] {
  const completions = optionalNumberAt(spec, 'completions');
  const parallelism = numberAt(spec, 'parallelism');
  const failed = optionalNumberAt(spec, 'maxFailedIndexes');
  const tooLarge = (field: string, value: number, detail: string): Problem =>
    invalid(`spec.${field}`, String(value), `must be less than or equal to ${detail}`);
  const problems: Problem[] = [];
  if (completions === undefined) {
    problems.push(required('spec.completions', 'when completion mode is Indexed'));
  }
  if (parallelism > MAX_INDEXES) {
    problems.push(tooLarge('parallelism', parallelism, `${MAX_INDEXES} when completion mode is Indexed`));
  }
  if (completions !== undefined && failed !== undefined && failed > completions) {
    problems.push(tooLarge('maxFailedIndexes', failed, 'completions'));
  }
  if (failed !== undefined && failed > MAX_INDEXES) {
    problems.push(tooLarge('maxFailedIndexes', failed, String(MAX_INDEXES)));
  }
  const hasLimit = optionalNumberAt(spec, 'backoffLimitPerIndex') !== undefined;
  if (!hasLimit || completions === undefined || completions <= MAX_INDEXES) return problems;
  if (failed === undefined) {
    const detail = `must be specified when completions is above ${MAX_INDEXES}`;
    problems.push(required('spec.maxFailedIndexes', detail));
  }
  const detail = `${MAX_INDEXES_WITH_BACKOFF} when completions are above ${MAX_INDEXES} and used with backoff limit per index`;
  if (parallelism > MAX_INDEXES_WITH_BACKOFF) problems.push(tooLarge('parallelism', parallelism, detail));
  if (failed !== undefined && failed > MAX_INDEXES_WITH_BACKOFF)
    problems.push(tooLarge('maxFailedIndexes', failed, detail));
  return problems;
}

function notIndexedProblems(spec: JsonObject): readonly Problem[] {
  if (!['', 'NonIndexed'].includes(stringAt(spec, 'completionMode'))) return [];
  return ['backoffLimitPerIndex', 'maxFailedIndexes'].flatMap((field) => {
    const value = optionalNumberAt(spec, field);
    return value === undefined ? [] : [invalid(`spec.${field}`, String(value), NEEDS_INDEXES)];
  });
}

function earlySuccessProblems(spec: JsonObject, isIndexed: boolean): readonly Problem[] {
  if (isIndexed) return successPolicyProblems(spec, 'spec.successPolicy');
  const isEmpty = objectsAt(spec, 'successPolicy', 'rules').length === 0;
  const value = `batch.SuccessPolicy{Rules:[]batch.SuccessPolicyRule{${isEmpty ? '' : '…'}}}`;
  return [invalid('spec.successPolicy', value, NEEDS_INDEXES)];
}

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];
/** With more indexes, the status might exceed the size limit of an object. */
const MAX_INDEXES = 100_000;
const MAX_INDEXES_WITH_BACKOFF = 10_000;
const MAX_MANAGER_BYTES = 63;
const NEEDS_INDEXES = 'requires indexed completion mode';
const URL_PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;
const NOT_A_PATH = `Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`;
