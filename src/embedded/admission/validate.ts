/** Evaluates one policy for one request with one parameter object. */

import { byteLength } from '../../base/json.ts';
import type { Value } from '../../kubernetes/cel/index.ts';
import type { CompiledPolicy, Validation } from './compile-policy.ts';
import { Evaluation, type Outcome, PolicyBudgetExceeded } from './evaluation.ts';
import type { Inputs } from './inputs.ts';

/** Cost limits of a policy per request, and of its match conditions. */
const MAX_POLICY_COST = 10_000_000;
const MAX_MATCH_COST = 2_500_000;
const MAX_MESSAGE_BYTES = 5 * 1024;
const MAX_AUDIT_VALUE_BYTES = 10 * 1024;

/** A validation that is false or failed. */
export type Violation = {
  /** The index of the validation; 0 for errors of the whole policy. */
  readonly index: number;
  readonly message: string;
  /** Absent for errors. */
  readonly reason?: string;
};

export type PolicyResult = {
  readonly violations: readonly Violation[];
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** Audit annotations that failed: the request is denied, whatever the validationActions. */
  readonly annotationErrors: readonly string[];
};

const NOTHING: PolicyResult = { violations: [], annotations: [], annotationErrors: [] };

/** `ignoresErrors`: the policy's failurePolicy. Match conditions have inputs of their own. */
export function validatePolicy(
  policy: CompiledPolicy,
  inputs: { readonly forMatching: Inputs; readonly forRules: Inputs },
  ignoresErrors: boolean,
): PolicyResult {
  const failed = (message: string): PolicyResult =>
    ignoresErrors ? NOTHING : { ...NOTHING, violations: [{ index: 0, message }] };
  try {
    const match = conditionsHold(policy, inputs.forMatching);
    if (match === false) return NOTHING;
    if (match !== true) return failed(match);
    return {
      ...annotationsOf(policy, inputs.forRules, ignoresErrors),
      violations: violationsOf(policy, inputs.forRules, ignoresErrors),
    };
  } catch (error) {
    if (error instanceof PolicyBudgetExceeded) return failed(error.message);
    throw error;
  }
}

/** A false condition decides, even if others fail. */
function conditionsHold(policy: CompiledPolicy, inputs: Inputs): boolean | string {
  const { matchConditions } = policy;
  if (matchConditions.length === 0) return true;
  const evaluation = new Evaluation(policy, inputs, MAX_MATCH_COST);
  const errors = new Set<string>();
  for (const condition of matchConditions) {
    const outcome = evaluation.run(condition);
    if (outcome.kind === 'error') errors.add(outcome.message);
    else if (outcome.value === false) return false;
  }
  if (errors.size === 0) return true;
  return errors.size === 1 ? [...errors].join() : `[${[...errors].join(', ')}]`;
}

function violationsOf(policy: CompiledPolicy, inputs: Inputs, ignoresErrors: boolean): readonly Violation[] {
  const { validations } = policy;
  const evaluation = new Evaluation(policy, inputs, MAX_POLICY_COST);
  const outcomes = validations.map((validation) => evaluation.run(validation));
  return outcomes.flatMap((outcome, index): readonly Violation[] => {
    const validation = validations[index];
    if (validation === undefined) return [];
    if (outcome.kind === 'error') return ignoresErrors ? [] : [{ index, message: outcome.message }];
    if (outcome.value === true) return [];
    const message = messageFor(validation, evaluation);
    return [{ index, message, reason: validation.reason ?? 'Invalid' }];
  });
}

/** The result of the messageExpression if it is a valid line, otherwise the message, otherwise the expression. */
function messageFor(validation: Validation, evaluation: Evaluation): string {
  const { messageExpression, message, source } = validation;
  const computed = messageExpression === undefined ? '' : lineOf(evaluation.run(messageExpression));
  return computed || message.trim() || `failed expression: ${source.trim()}`;
}

function lineOf(outcome: Outcome): string {
  if (outcome.kind === 'error' || typeof outcome.value !== 'string') return '';
  const text = outcome.value.trim();
  return byteLength(text) > MAX_MESSAGE_BYTES || text.includes('\n') ? '' : text;
}

function annotationsOf(
  policy: CompiledPolicy,
  inputs: Inputs,
  ignoresErrors: boolean,
): Pick<PolicyResult, 'annotations' | 'annotationErrors'> {
  const { auditAnnotations } = policy;
  if (auditAnnotations.length === 0) return NOTHING;
  const evaluation = new Evaluation(policy, inputs, MAX_POLICY_COST);
  const annotations: { readonly key: string; readonly value: string }[] = [];
  const annotationErrors: string[] = [];
  for (const annotation of auditAnnotations) {
    const outcome = evaluation.run(annotation);
    if (outcome.kind === 'error') {
      if (!ignoresErrors) annotationErrors.push(outcome.message);
      continue;
    }
    const value = textOf(outcome.value);
    if (value !== '') annotations.push({ key: annotation.key, value });
  }
  return { annotations, annotationErrors };
}

/** Null and empty strings give no annotation. Long values are cut. */
function textOf(value: Value): string {
  if (typeof value !== 'string') return '';
  const bytes = new TextEncoder().encode(value.trim());
  return new TextDecoder().decode(bytes.subarray(0, MAX_AUDIT_VALUE_BYTES)).replace(/\uFFFD+$/, '');
}
