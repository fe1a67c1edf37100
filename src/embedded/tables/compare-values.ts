/**
 * Comparisons in JSONPath filters: `[?(@.type=="Ready")]`.
 */
import { compareBytes, type Json } from '../../base/json.ts';
import { isWhole } from '../../base/text/index.ts';

/** Undefined if the types differ: a string is neither equal nor unequal to a number. */
export function compareValues(operator: string, left: Json, right: Json): boolean | undefined {
  const kind = kindOf(left);
  if (kind === undefined || kind !== kindOf(right)) return undefined;
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  const order = orderOf(left, right);
  if (order === undefined) return undefined;
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    default:
      return undefined;
  }
}

function kindOf(value: Json): 'text' | 'boolean' | 'whole' | 'fraction' | undefined {
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'boolean':
      return 'boolean';
    case 'number':
      return isWhole(value) ? 'whole' : 'fraction';
    default:
      return undefined;
  }
}

function orderOf(left: Json, right: Json): number | undefined {
  if (typeof left === 'string' && typeof right === 'string') return compareBytes(left, right);
  return typeof left === 'number' && typeof right === 'number' ? left - right : undefined;
}
