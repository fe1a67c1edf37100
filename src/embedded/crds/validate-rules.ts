/**
 * Validation of the CEL rules of a subschema: they compile, are within the cost limit, and use `oldSelf` only where
 * values can be correlated.
 */

import type { Problem } from '../../base/errors.ts';
import {
  asResource,
  type Bounds,
  boundsOf,
  type CelType,
  compileCel,
  MAX_REQUEST_BYTES,
  optionalOf,
  type Program,
  typeOfSchema,
  withResourceFields,
} from '../../kubernetes/cel/index.ts';
import { invalid, invalidText } from '../resources/index.ts';
import { type RuleProps, type SchemaProps, structural } from './crd.ts';
import { goRule } from './go-values.ts';
import type { RuleCosts } from './rule-costs.ts';

export type RuleScope = {
  readonly costs: RuleCosts;
  /** Whether the limit of a single rule is waived, because the rule existed before. */
  readonly isCostWaived: boolean;
  /** The maximum number of values, undefined without a limit of the lists and maps around. */
  readonly cardinality: number | undefined;
  readonly isRoot: boolean;
  /** The path of the subschema below which values cannot be correlated with the old object. */
  readonly uncorrelatable: string | undefined;
};

export function ruleProblems(schema: SchemaProps, path: string, scope: RuleScope): readonly Problem[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  const shape = scope.isRoot ? withResourceFields(structural(schema)) : asResource(structural(schema));
  const type = typeOfSchema(shape);
  const bounds = boundsOf(shape);
  if (type === undefined || bounds === undefined) return [untyped(`${path}.x-kubernetes-validations`)];
  return rules.flatMap((rule, index) =>
    oneRuleProblems(rule, `${path}.x-kubernetes-validations[${index}]`, { ...scope, type, bounds }),
  );
}

type Scope = RuleScope & { readonly type: CelType; readonly bounds: Bounds };

function oneRuleProblems(rule: RuleProps, at: string, scope: Scope): readonly Problem[] {
  const { type, bounds } = scope;
  const variables = [
    { name: 'self', type },
    { name: 'oldSelf', type: rule.optionalOldSelf ? optionalOf(type) : type },
  ];
  const program = compileCel(rule.rule, variables);
  const failure = compileFailure(program, 'bool');
  const isUsable = program.kind === 'program' && failure === undefined;
  const most = isUsable ? program.estimate(bounds) : 0;
  const problems = charge(`${at}.rule`, timesOf(most, scope), { what: 'estimated rule cost', scope });
  // What a rule uses is unknown if it does not compile.
  const usesOldSelf = isUsable && program.references.has('oldSelf');
  const oldSelf = oldSelfProblems(rule, at, { usesOldSelf, uncorrelatable: scope.uncorrelatable });
  if (failure !== undefined) {
    return [...problems, invalid(`${at}.rule`, goRule(rule), failure), ...oldSelf];
  }
  const { messageExpression = '' } = rule;
  const message = messageExpression === '' ? undefined : compileCel(messageExpression, variables);
  return [
    ...problems,
    ...(message === undefined ? [] : messageProblems(rule, message, { at, scope })),
    ...oldSelf,
  ];
}

type Compiled = ReturnType<typeof compileCel>;

/** A message is evaluated only when a rule fails, so its cost is not multiplied. */
function messageProblems(
  rule: RuleProps,
  message: Compiled,
  { at, scope }: { readonly at: string; readonly scope: Scope },
): readonly Problem[] {
  const path = `${at}.messageExpression`;
  const failure = compileFailure(message, 'string');
  if (failure !== undefined) return [invalid(path, goRule(rule), failure)];
  const cost = message.kind === 'program' ? message.estimate(scope.bounds) : 0;
  return charge(path, cost, { what: 'estimated messageExpression cost', scope });
}

function compileFailure(compiled: Compiled, wanted: 'bool' | 'string'): string | undefined {
  const prefix = wanted === 'bool' ? '' : 'messageExpression ';
  if (compiled.kind === 'failure') return `${prefix}compilation failed: ${compiled.message}`;
  if (isOf(compiled, wanted)) return undefined;
  return wanted === 'bool'
    ? 'cel expression must evaluate to a bool'
    : 'messageExpression must evaluate to a string';
}

function isOf({ type }: Program, wanted: 'bool' | 'string'): boolean {
  return type.kind === wanted;
}

/** The total cost: for as many values as lists and maps allow, or as fit into a request. */
function timesOf(cost: number, { cardinality, bounds }: Scope): number {
  const locations = cardinality ?? Math.floor(MAX_REQUEST_BYTES / (bounds.minBytes + 1));
  return cost === 0 || locations === 0 ? 0 : cost * locations;
}

function charge(
  path: string,
  cost: number,
  { what, scope }: { readonly what: string; readonly scope: Scope },
): readonly Problem[] {
  const problems = scope.costs.observe(path, cost, what);
  return scope.isCostWaived ? [] : problems;
}

function oldSelfProblems(
  { rule, optionalOldSelf }: RuleProps,
  at: string,
  {
    usesOldSelf,
    uncorrelatable,
  }: { readonly usesOldSelf: boolean; readonly uncorrelatable: string | undefined },
): readonly Problem[] {
  if (usesOldSelf && uncorrelatable !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    return [invalidText(`${at}.rule`, rule, detail)];
  }
  if (usesOldSelf || optionalOldSelf === undefined) return [];
  const detail = 'may not be set if oldSelf is not used in rule';
  return [invalid(`${at}.optionalOldSelf`, String(optionalOldSelf), detail)];
}

/** A schema without the type information that CEL needs; an internal error in kube-apiserver. */
function untyped(path: string): Problem {
  const cause = 'unable to convert structural schema to CEL declarations';
  const what = 'failed to construct type information for x-kubernetes-validations rules';
  return { path, message: `Internal error: internal error: ${what}: ${cause}` };
}
