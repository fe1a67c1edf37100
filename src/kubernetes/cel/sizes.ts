/**
 * Sizes as ranges from minimum to maximum, and costs, of which only the maximum counts. Unbounded is infinite here;
 * the server uses the largest number of 64 bits.
 */

/** Characters of a string, bytes, items of a list, entries of a map. */
export type Size = { readonly min: number; readonly max: number };

export const UNKNOWN: Size = { min: 0, max: Number.POSITIVE_INFINITY };

export function exactly(count: number): Size {
  return { min: count, max: count };
}

export function sum(left: Size, right: Size): Size {
  return { min: left.min + right.min, max: left.max + right.max };
}

export function product(left: Size, right: Size): Size {
  return { min: times(left.min, right.min), max: times(left.max, right.max) };
}

/** The range that contains both. */
export function either(left: Size, right: Size): Size {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) };
}

/** Zero times infinity is zero. */
export function times(left: number, right: number): number {
  return left === 0 || right === 0 ? 0 : left * right;
}

/** The cost of that many units, each of which costs `factor`. */
export function priced({ max }: Size, factor: number): number {
  return Math.ceil(max * factor);
}

/** Traversing a string once, per character. */
export const TRAVERSAL = 0.1;
/** Matching one character, per character of the regular expression. */
export const REGEX = 0.25;
