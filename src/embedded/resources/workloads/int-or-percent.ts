/**
 * Validation of IntOrString values that are numbers or percentages, such as `maxUnavailable`.
 */
import type { Problem } from '../../../base/errors.ts';
import type { Json } from '../../../base/json.ts';
import { goIntOrString } from '../decoding/go-format.ts';
import { invalid, negativeProblems } from '../field-problems.ts';

/** Problems with a value by itself. */
export function intOrPercentProblems(path: string, value: Json | undefined): readonly Problem[] {
  if (typeof value === 'number') return negativeProblems(path, value);
  if (typeof value !== 'string' || PERCENT.test(value)) return [];
  return [invalid(path, goIntOrString(value), NOT_A_PERCENTAGE)];
}

/** A percentage above 100 is invalid for unavailable pods. */
export function above100PercentProblems(path: string, value: Json | undefined): readonly Problem[] {
  if (typeof value !== 'string' || !PERCENT.test(value) || amountOf(value) <= 100) return [];
  return [invalid(path, goIntOrString(value), 'must not be greater than 100%')];
}

/** The number, or the number before the percent sign; zero for anything else. */
export function amountOf(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return 0;
  if (PERCENT.test(value)) return Number(value.slice(0, -1));
  return /^[+-]?[0-9]+$/.test(value) ? Number(value) : 0;
}

const PERCENT = /^[0-9]+%$/;
const NOT_A_PERCENTAGE =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
