/**
 * Validation of `metav1.Condition`, as in the status of PodDisruptionBudgets and admission policies.
 */

import type { Problem } from '../../base/errors.ts';
import { byteLength, type JsonObject } from '../../base/json.ts';
import { numberAt, objectsAt, optionalStringAt, stringAt } from '../../base/json-fields.ts';
import { quoted } from '../../base/text/index.ts';
import { checkQualifiedName } from '../../kubernetes/meta/index.ts';
import { duplicate, invalid, invalidText, required, tooLong, unsupportedText } from './field-problems.ts';

/** Validates `status.conditions`; types are unique. */
export function conditionProblems(status: JsonObject | undefined, path: string): readonly Problem[] {
  const seen = new Set<string>();
  return objectsAt(status, 'conditions').flatMap((condition, index) => {
    const at = `${path}.conditions[${index}]`;
    const type = stringAt(condition, 'type');
    const duplicates = seen.has(type) ? [duplicate(`${at}.type`, quoted(type))] : [];
    seen.add(type);
    return [...duplicates, ...problemsOf(condition, at)];
  });
}

function problemsOf(condition: JsonObject, path: string): readonly Problem[] {
  const type = stringAt(condition, 'type');
  const status = stringAt(condition, 'status');
  const generation = numberAt(condition, 'observedGeneration');
  const problems = checkQualifiedName(type).map((detail) => invalidText(`${path}.type`, type, detail));
  if (!STATUSES.includes(status)) problems.push(unsupportedText(`${path}.status`, status, STATUSES));
  if (generation < 0) {
    problems.push(
      invalid(`${path}.observedGeneration`, String(generation), 'must be greater than or equal to zero'),
    );
  }
  if (optionalStringAt(condition, 'lastTransitionTime') === undefined) {
    problems.push(required(`${path}.lastTransitionTime`, 'must be set'));
  }
  problems.push(...reasonProblems(stringAt(condition, 'reason'), `${path}.reason`));
  if (byteLength(stringAt(condition, 'message')) > MAX_MESSAGE_BYTES) {
    problems.push(tooLong(`${path}.message`, MAX_MESSAGE_BYTES));
  }
  return problems;
}

function reasonProblems(reason: string, path: string): readonly Problem[] {
  if (reason === '') return [required(path, 'must be set')];
  return [
    ...(isReason(reason) ? [] : [invalidText(path, reason, NOT_A_REASON)]),
    ...(byteLength(reason) > MAX_REASON_BYTES ? [tooLong(path, MAX_REASON_BYTES)] : []),
  ];
}

function isReason(text: string): boolean {
  return /^[A-Za-z0-9_,:]+$/.test(text) && /^[A-Za-z]/.test(text) && /[A-Za-z0-9_]$/.test(text);
}

const STATUSES = ['False', 'True', 'Unknown'];
const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;
const NOT_A_REASON =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";
