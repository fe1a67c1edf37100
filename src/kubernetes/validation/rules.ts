/**
 * The CEL rules of a schema (`x-kubernetes-validations`), run on an object.
 *
 * A rule that uses `oldSelf` runs only if there was a value before, unless `oldSelf` is optional. Errors of other rules
 * are ignored if the value has not changed. Rules are compiled once per schema. A rule that does not compile is an
 * error of every object that it applies to.
 *
 * Supported are the language with its macros (also with two variables), optionals, and the libraries for
 * strings, regular expressions (RE2), lists, sets, times, URLs, IP addresses, networks, quantities and named
 * formats. Not supported, and reported when a rule uses it: optional entries in literals (`[?a]`, `{?b: c}`),
 * the construction of messages (`Type{…}`), time zones by name, and the libraries for authorization and
 * semantic versions. A literal that cannot be converted (`int('x')`) is an error at run time, not at compile time.
 *
 * The cost limits are the server's: a million units per rule, ten million per object, where a call or an iteration
 * is a unit and long strings and lists count by their length.
 */

import { joinPath, type Problem } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import {
  asResource,
  BudgetExceeded,
  CostBudget,
  celValue,
  EvaluationError,
  NO_SUCH_OVERLOAD,
  OptionalValue,
  type Value,
  withResourceFields,
} from '../cel/index.ts';
import type { StructuralSchema, ValidationRule } from '../schema/index.ts';
import { type CompiledRule, compileRules, type RuleNode } from './compile-rules.ts';
import { type Correlated, keyedItems } from './correlated.ts';
import { duplicateValue, forbidden, invalidValue, requiredValue } from './problems.ts';

/** The cost limit of one rule (PerCallLimit in Kubernetes). */
const MAX_RULE_STEPS = 1_000_000;
/** The cost limit of all rules on one object (RuntimeCELCostBudget). */
const MAX_OBJECT_STEPS = 10_000_000;
/** The limit on a computed message (in characters; the server counts bytes). */
const MAX_MESSAGE_CHARS = 5 * 1024;

type RulesOptions = {
  readonly path: string;
  readonly old: unknown;
  readonly before: Correlated | undefined;
  /** Whether the value is a whole object of the API, whose name rules may use. */
  readonly isRoot: boolean;
};

/** Whether the schema has rules: only then does the server report that rules were not checked. */
export function hasRules(schema: StructuralSchema): boolean {
  const known = ruled.get(schema);
  if (known !== undefined) return known;
  const { items, additionalProperties, properties } = schema;
  const found =
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    (items !== undefined && hasRules(items)) ||
    (isObject(additionalProperties) && hasRules(additionalProperties)) ||
    (properties !== undefined && Object.values(properties).some(hasRules));
  ruled.set(schema, found);
  return found;
}

const ruled = new WeakMap<StructuralSchema, boolean>();

export function checkRules(
  schema: StructuralSchema,
  value: unknown,
  options: RulesOptions,
): readonly Problem[] {
  const root = options.isRoot ? withResourceFields(schema) : asResource(schema);
  const node = compileRules(root);
  if (node === undefined) return [];
  const run = new RulesRun();
  const { path, old, before } = options;
  run.visit(node, value, { path, old, ratchet: { before, parent: undefined } });
  return run.problems;
}

/** What ratcheting needs: the old value, or that of the nearest parent which has one. */
type Ratchet = { readonly before: Correlated | undefined; readonly parent: Correlated | undefined };

type Place = { readonly path: string; readonly old: unknown; readonly ratchet: Ratchet };

class RulesRun {
  readonly problems: Problem[] = [];
  #stepsLeft = MAX_OBJECT_STEPS;
  #isStopped: boolean = false;

  visit(node: RuleNode, value: unknown, place: Place): void {
    if (this.#isStopped || value === null || value === undefined) return;
    this.#evaluate(node, value, place);
    for (const branch of node.allOf) {
      this.visit(branch, value, { ...place, ratchet: { before: undefined, parent: place.ratchet.parent } });
    }
    if (Array.isArray(value)) this.#visitItems(node, value, place);
    else if (isObject(value)) this.#visitFields(node, value, place);
  }

  #visitItems(node: RuleNode, value: readonly unknown[], { path, old, ratchet }: Place): void {
    if (node.items === undefined) return;
    const olds = keyedItems(node.schema, old);
    for (const [index, item] of value.entries()) {
      this.visit(node.items, item, {
        path: `${path}[${index}]`,
        old: olds.get(item),
        ratchet: below(ratchet, (before) => before.item(index)),
      });
    }
  }

  #visitFields(node: RuleNode, value: { readonly [key: string]: unknown }, place: Place): void {
    const { path, old, ratchet } = place;
    for (const key of Object.keys(value)) {
      const property = node.properties.get(key);
      const child = property ?? node.values;
      if (child === undefined) continue;
      const isTypeMeta = ratchet.parent === undefined && (key === 'apiVersion' || key === 'kind');
      this.visit(child, value[key], {
        path: property === undefined ? `${path}[${key}]` : joinPath(path, key),
        old: isObject(old) && Object.hasOwn(old, key) ? old[key] : undefined,
        ratchet: isTypeMeta ? NO_RATCHET : below(ratchet, (before) => before.field(key)),
      });
    }
  }

  #evaluate(node: RuleNode, value: unknown, place: Place): void {
    const rules = node.rules();
    if (rules === 'untyped') {
      const cause = 'failed to convert to declType for CEL validation rules';
      this.#reject(node, place.path, `rule compiler initialization error: ${cause}`);
      return;
    }
    if (rules.length === 0) return;
    const self = lazily(() => celValue(node.schema, value));
    const oldSelf = lazily(() => celValue(node.schema, place.old));
    for (const rule of rules) {
      if (!this.#isStopped) this.#runRule(node, rule, { self, oldSelf, place });
    }
  }

  #runRule(node: RuleNode, rule: CompiledRule, on: Subject): void {
    const { place } = on;
    if (rule.kind === 'broken') {
      this.#reject(node, place.path, `rule compile error: ${rule.error}`);
      return;
    }
    const hasOld = place.old !== undefined && place.old !== null;
    if (rule.usesOldSelf && !hasOld && !rule.rule.optionalOldSelf) return;
    const budget = new CostBudget(MAX_RULE_STEPS);
    try {
      const values = [on.self(), rule.usesOldSelf ? oldValue(rule.rule, hasOld, on) : null];
      const isTrue = rule.program.run(values, budget) === true;
      if (this.#charge(budget, node, place.path) && !isTrue) this.#fail(node, rule, values, on);
    } catch (error) {
      this.#report(error, node, rule, on);
    }
  }

  /** Whether there is budget left for this rule. */
  #charge(budget: CostBudget, node: RuleNode, path: string): boolean {
    this.#stepsLeft -= MAX_RULE_STEPS - Math.max(0, budget.left);
    if (this.#stepsLeft >= 0) return true;
    const what = 'validation failed due to running out of cost budget';
    this.#reject(node, path, `${what}, no further validation rules will be run`);
    this.#isStopped = true;
    return false;
  }

  #report(error: unknown, node: RuleNode, rule: WorkingRule, { place }: Subject): void {
    const name = nameOf(rule.rule);
    if (error instanceof BudgetExceeded) {
      const what = "'operation cancelled: actual cost limit exceeded'";
      const stop = 'no further validation rules will be run due to call cost exceeds limit for rule';
      this.#reject(node, place.path, `${what}: ${stop}: ${name}`);
      this.#isStopped = true;
    } else if (!(error instanceof EvaluationError)) {
      throw error;
    } else if (error.message.startsWith(NO_SUCH_OVERLOAD)) {
      const what = 'call arguments did not match a supported operator, function or macro signature';
      this.#reject(node, place.path, `'${error.message}': ${what} for rule: ${name}`);
    } else {
      this.#reject(node, place.path, `${error.message} evaluating rule: ${name}`);
    }
  }

  #fail(node: RuleNode, rule: WorkingRule, values: readonly Value[], { place }: Subject): void {
    const { before, parent } = place.ratchet;
    if (!rule.usesOldSelf && (before ?? parent)?.isUnchanged()) return;
    const path = rule.fieldPath === '' ? place.path : joinPath(place.path, rule.fieldPath);
    const type = node.schema.type ?? '';
    const message = computedMessage(rule, values) ?? messageOf(rule.rule);
    this.problems.push(problemFor(rule.rule.reason, path, type, message));
  }

  #reject(node: RuleNode, path: string, detail: string): void {
    this.problems.push(invalidValue(path, node.schema.type ?? '', detail));
  }
}

type WorkingRule = CompiledRule & { readonly kind: 'working' };

/** The old and the new value, converted to CEL values when the first rule needs them. */
type Subject = { readonly self: () => Value; readonly oldSelf: () => Value; readonly place: Place };

const NO_RATCHET: Ratchet = { before: undefined, parent: undefined };

function below(ratchet: Ratchet, step: (before: Correlated) => Correlated | undefined): Ratchet {
  const { before } = ratchet;
  return before === undefined ? ratchet : { before: step(before), parent: before };
}

function lazily(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

function oldValue(rule: ValidationRule, hasOld: boolean, { oldSelf }: Subject): Value {
  if (!rule.optionalOldSelf) return oldSelf();
  return hasOld ? new OptionalValue(oldSelf()) : OptionalValue.NONE;
}

/** The result of `messageExpression`; undefined if it fails or is no valid message. */
function computedMessage(rule: WorkingRule, values: readonly Value[]): string | undefined {
  if (rule.message === undefined) return undefined;
  try {
    const text = rule.message.run(values, new CostBudget(MAX_RULE_STEPS));
    const message = typeof text === 'string' ? text.trim() : '';
    return message === '' || message.length > MAX_MESSAGE_CHARS || message.includes('\n')
      ? undefined
      : message;
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof BudgetExceeded) return undefined;
    throw error;
  }
}

function messageOf(rule: ValidationRule): string {
  return rule.message ? rule.message.trim() : `failed rule: ${nameOf(rule)}`;
}

function nameOf(rule: ValidationRule): string {
  return (rule.message || rule.rule).trim();
}

function problemFor(reason: ValidationRule['reason'], path: string, type: string, message: string): Problem {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, message);
    case 'FieldValueRequired':
      return requiredValue(path, message);
    case 'FieldValueDuplicate':
      return duplicateValue(path, type);
    default:
      return invalidValue(path, type, message);
  }
}
