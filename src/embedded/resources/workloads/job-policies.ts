/**
 * Validation of the pod failure policy and the success policy of a job.
 */

import type { Problem } from '../../../base/errors.ts';
import { byteLength, type JsonObject } from '../../../base/json.ts';
import {
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  optionalNumberAt,
  optionalStringAt,
  stringAt,
  valueAt,
} from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { checkQualifiedName } from '../../../kubernetes/meta/index.ts';
import { duplicateIndexes } from '../duplicate-indexes.ts';
import {
  duplicate,
  invalid,
  invalidText,
  negativeProblems,
  required,
  tooLong,
  tooMany,
  unsupportedText,
} from '../field-problems.ts';
import { readIndexes } from './job-indexes.ts';

export function podFailurePolicyProblems(spec: JsonObject, path: string): readonly Problem[] {
  const rules = objectsAt(spec, 'podFailurePolicy', 'rules');
  const containers = ['containers', 'initContainers'].flatMap((field) =>
    objectsAt(spec, 'template', 'spec', field).map((container) => stringAt(container, 'name')),
  );
  return [
    ...(rules.length > MAX_RULES ? [tooMany(`${path}.rules`, rules.length, MAX_RULES)] : []),
    ...rules.flatMap((rule, index) => {
      const at = `${path}.rules[${index}]`;
      return [
        ...actionProblems(stringAt(rule, 'action'), `${at}.action`, spec),
        ...exitCodesProblems(objectAt(rule, 'onExitCodes'), `${at}.onExitCodes`, containers),
        ...podConditionsProblems(objectsAt(rule, 'onPodConditions'), `${at}.onPodConditions`),
        ...requirementProblems(rule, at),
      ];
    }),
  ];
}

function actionProblems(action: string, path: string, spec: JsonObject): readonly Problem[] {
  if (action === '') return [required(path, `valid values: ${goList(ACTIONS)}`)];
  if (!ACTIONS.includes(action)) return [unsupportedText(path, action, ACTIONS)];
  const needsLimit = action === 'FailIndex' && optionalNumberAt(spec, 'backoffLimitPerIndex') === undefined;
  return needsLimit ? [invalidText(path, action, 'requires the backoffLimitPerIndex to be set')] : [];
}

function requirementProblems(rule: JsonObject, path: string): readonly Problem[] {
  const requirements = [objectAt(rule, 'onExitCodes'), listAt(rule, 'onPodConditions')?.[0]];
  const count = requirements.filter((demand) => demand !== undefined).length;
  if (count === 1) return [];
  const detail =
    count === 0
      ? 'specifying one of OnExitCodes and OnPodConditions is required'
      : 'specifying both OnExitCodes and OnPodConditions is not supported';
  return [invalid(path, undefined, detail)];
}

function exitCodesProblems(
  demand: JsonObject | undefined,
  path: string,
  containers: readonly string[],
): readonly Problem[] {
  if (demand === undefined) return [];
  const operator = stringAt(demand, 'operator');
  const container = optionalStringAt(demand, 'containerName');
  const problems: Problem[] = [];
  if (operator === '') problems.push(required(`${path}.operator`, `valid values: ${goList(OPERATORS)}`));
  else if (!OPERATORS.includes(operator)) {
    problems.push(unsupportedText(`${path}.operator`, operator, OPERATORS));
  }
  if (container !== undefined && !containers.includes(container)) {
    problems.push(invalidText(`${path}.containerName`, container, NO_CONTAINER));
  }
  return [...problems, ...exitCodeProblems(demand, `${path}.values`, operator)];
}

function exitCodeProblems(demand: JsonObject, path: string, operator: string): readonly Problem[] {
  const codes = listAt(demand, 'values').filter((code) => typeof code === 'number');
  if (codes.length === 0) return [invalid(path, '[]int32(nil)', 'at least one value is required')];
  const duplicates = duplicateIndexes(codes);
  const isOrdered = codes.every((code, index) => (codes[index - 1] ?? code) <= code);
  return [
    ...(codes.length > MAX_EXIT_CODES ? [tooMany(path, codes.length, MAX_EXIT_CODES)] : []),
    ...codes.flatMap((code, index) => [
      ...(operator === 'In' && code === 0
        ? [invalid(`${path}[${index}]`, '0', 'must not be 0 for the In operator')]
        : []),
      ...(duplicates.has(index) ? [duplicate(`${path}[${index}]`, String(code))] : []),
    ]),
    ...(isOrdered ? [] : [invalid(path, `[]int32{${codes.join(', ')}}`, 'must be ordered')]),
  ];
}

function podConditionsProblems(patterns: readonly JsonObject[], path: string): readonly Problem[] {
  return [
    ...(patterns.length > MAX_PATTERNS ? [tooMany(path, patterns.length, MAX_PATTERNS)] : []),
    ...patterns.flatMap((pattern, index) => {
      const type = stringAt(pattern, 'type');
      const status = stringAt(pattern, 'status');
      const at = `${path}[${index}]`;
      return [
        ...checkQualifiedName(type).map((detail) => invalidText(`${at}.type`, type, detail)),
        ...(STATUSES.includes(status) ? [] : [unsupportedText(`${at}.status`, status, STATUSES)]),
      ];
    }),
  ];
}

export function successPolicyProblems(spec: JsonObject, path: string): readonly Problem[] {
  const rules = objectsAt(spec, 'successPolicy', 'rules');
  const completions = numberAt(spec, 'completions');
  return [
    ...(rules.length === 0 ? [required(`${path}.rules`, NO_RULES)] : []),
    ...(rules.length > MAX_RULES ? [tooMany(`${path}.rules`, rules.length, MAX_RULES)] : []),
    ...rules.flatMap((rule, index) => successRuleProblems(rule, `${path}.rules[${index}]`, completions)),
  ];
}

function successRuleProblems(rule: JsonObject, path: string, completions: number): readonly Problem[] {
  const text = optionalStringAt(rule, 'succeededIndexes');
  const count = optionalNumberAt(rule, 'succeededCount');
  const problems: Problem[] = [];
  if (text === undefined && count === undefined) {
    problems.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  const indexes = text === undefined ? undefined : readIndexes(text, completions);
  if (text !== undefined) {
    const at = `${path}.succeededIndexes`;
    if (byteLength(text) > MAX_INDEXES_BYTES) problems.push(tooLong(at, MAX_INDEXES_BYTES));
    if (indexes?.kind === 'failed') {
      problems.push(invalidText(at, text, `error parsing succeededIndexes: ${indexes.message}`));
    }
  }
  if (count === undefined) return problems;
  const at = `${path}.succeededCount`;
  const limit = (most: number, what: string): readonly Problem[] =>
    count <= most ? [] : [invalid(at, String(count), `must be less than or equal to ${most} (${what})`)];
  problems.push(...negativeProblems(at, count), ...limit(completions, 'the number of specified completions'));
  if (indexes !== undefined) {
    const most = indexes.kind === 'read' ? indexes.count : 0;
    problems.push(...limit(most, 'the number of indexes in the specified succeededIndexes field'));
  }
  return problems;
}

/** With a pod failure policy, pods are replaced only after they have failed. */
export function podReplacementPolicyProblems(spec: JsonObject, path: string): readonly Problem[] {
  const policy = optionalStringAt(spec, 'podReplacementPolicy');
  const hasPolicy = valueAt(spec, 'podFailurePolicy') !== undefined;
  const allowed = hasPolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  return policy === undefined || allowed.includes(policy) ? [] : [unsupportedText(path, policy, allowed)];
}

function goList(values: readonly string[]): string {
  return `[${values.map(quoted).join(' ')}]`;
}

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];
const MAX_RULES = 20;
const MAX_PATTERNS = 20;
const MAX_EXIT_CODES = 255;
const MAX_INDEXES_BYTES = 64 * 1024;
const NO_CONTAINER = 'must be one of the container or initContainer names in the pod template';
const NO_RULES = 'at least one rules must be specified when the successPolicy is specified';
