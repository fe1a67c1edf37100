/**
 * Cost limits of the CEL rules of a schema, per rule and in total.
 */

import type { Problem } from '../../base/errors.ts';
import { forbidden } from '../resources/index.ts';

/** The limit of one rule, over all values that it may be evaluated for. */
const MAX_RULE_COST = 10_000_000;
/** The limit of all rules of a schema. */
const MAX_SCHEMA_COST = 100_000_000;
/** When the total is exceeded, this many rules are named, if each has at least this share of the limit. */
const MAX_NAMED = 4;
const NAMED_SHARE = 0.01;

export class RuleCosts {
  #total = 0;
  #expensive: { readonly path: string; readonly cost: number }[] = [];

  /** Adds the cost of the rule at the path, and reports it if it exceeds the limit by itself. */
  observe(path: string, cost: number, what: string): readonly Problem[] {
    this.#total += cost;
    if (cost >= MAX_SCHEMA_COST * NAMED_SHARE) {
      this.#expensive = [...this.#expensive, { path, cost }]
        .sort((left, right) => (left.cost < right.cost ? 1 : left.cost > right.cost ? -1 : 0))
        .slice(0, MAX_NAMED);
    }
    return cost > MAX_RULE_COST ? [forbidden(path, excess(what, cost / MAX_RULE_COST))] : [];
  }

  /** Problems with the schema at the path after all its rules were added. */
  problems(path: string): readonly Problem[] {
    if (this.#total <= MAX_SCHEMA_COST) return [];
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map((rule) =>
        forbidden(
          rule.path,
          'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
        ),
      ),
      forbidden(path, excess(what, this.#total / MAX_SCHEMA_COST)),
    ];
  }
}

const ADVICE =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';

function excess(what: string, factor: number): string {
  return `${what} exceeds budget by factor of ${factorText(factor)} (${ADVICE})`;
}

function factorText(factor: number): string {
  if (factor > 100) return 'more than 100x';
  // More digits for a small excess: a factor of 1.0 would be confusing.
  return `${fixed(factor, factor < 1.5 ? 6 : 1)}x`;
}

/** Rounds half to even, as Go does. */
function fixed(value: number, digits: number): string {
  const halves = value * 2 ** (digits + 1);
  const isTie = Number.isInteger(halves) && halves % 2 === 1;
  if (!isTie) return value.toFixed(digits);
  const below = Math.floor(value * 10 ** digits);
  return ((below % 2 === 0 ? below : below + 1) / 10 ** digits).toFixed(digits);
}
