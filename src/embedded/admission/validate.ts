/**
 * What one policy says of one request, with one parameter.
 */

import { byteLength } from '../../base/json.ts';
import type { Value } from '../../kubernetes/cel/index.ts';
import type { CompiledPolicy, Validation } from './compile-policy.ts';
import { Evaluation, type Outcome, OutOfBudget } from './evaluation.ts';
import type { Inputs } from './inputs.ts';

/** What a policy may cost on one request, and what finding out may whether it looks at it at all. */
const MAX_POLICY_COST = 10_000_000;
const MAX_MATCH_COST = 2_500_000;
const MAX_MESSAGE_BYTES = 5 * 1024;
const MAX_AUDIT_VALUE_BYTES = 10 * 1024;

/** A rule that is not met, or that could not be computed. */
export type Complaint = {
  /** Which validation; 0 for what concerns the whole policy. */
  readonly index: number;
  readonly message: string;
  /** Absent for failures. */
  readonly reason?: string;
};

export type Judgement = {
  readonly complaints: readonly Complaint[];
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** Annotations that could not be computed: the request is refused whatever the binding asks for. */
  readonly annotationErrors: readonly string[];
};

const NOTHING: Judgement = { complaints: [], annotations: [], annotationErrors: [] };

/** `ignoresErrors`: the policy's failurePolicy. Match conditions have inputs of their own. */
export function judge(
  policy: CompiledPolicy,
  inputs: { readonly forMatching: Inputs; readonly forRules: Inputs },
  ignoresErrors: boolean,
): Judgement {
  const failed = (message: string): Judgement =>
    ignoresErrors ? NOTHING : { ...NOTHING, complaints: [{ index: 0, message }] };
  try {
    const match = conditionsHold(policy, inputs.forMatching);
    if (match === false) return NOTHING;
    if (match !== true) return failed(match);
    return {
      ...annotationsOf(policy, inputs.forRules, ignoresErrors),
      complaints: complaintsOf(policy, inputs.forRules, ignoresErrors),
    };
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

/** One that is false settles it, even if others fail. */
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

function complaintsOf(policy: CompiledPolicy, inputs: Inputs, ignoresErrors: boolean): readonly Complaint[] {
  const { validations } = policy;
  const evaluation = new Evaluation(policy, inputs, MAX_POLICY_COST);
  const outcomes = validations.map((validation) => evaluation.run(validation));
  return outcomes.flatMap((outcome, index): readonly Complaint[] => {
    const validation = validations[index];
    if (validation === undefined) return [];
    if (outcome.kind === 'error') return ignoresErrors ? [] : [{ index, message: outcome.message }];
    if (outcome.value === true) return [];
    const message = messageFor(validation, evaluation);
    return [{ index, message, reason: validation.reason ?? 'Invalid' }];
  });
}

/** The computed one, if it is a line that people can read; else the one that was given; else the expression. */
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
): Pick<Judgement, 'annotations' | 'annotationErrors'> {
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

/** A null is no value, and neither is an empty text. Too long a text is cut. */
function textOf(value: Value): string {
  if (typeof value !== 'string') return '';
  const bytes = new TextEncoder().encode(value.trim());
  return new TextDecoder().decode(bytes.subarray(0, MAX_AUDIT_VALUE_BYTES)).replace(/\uFFFD+$/, '');
}
