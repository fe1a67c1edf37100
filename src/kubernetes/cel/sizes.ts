/**
 * Numbers of an estimate: sizes from the least to the most, and costs, of which only the most counts. What
 * nobody can bound is infinite; the server has the largest number there that 64 bits hold.
 */

/** Characters of a text, bytes, items of a list, entries of a map. */
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

/** Whatever the one or the other may be. */
export function either(left: Size, right: Size): Size {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) };
}

/** Nothing is nothing, however often. */
export function times(left: number, right: number): number {
  return left === 0 || right === 0 ? 0 : left * right;
}

/** The cost of that many units, each of which costs `factor`. */
export function priced({ max }: Size, factor: number): number {
  return Math.ceil(max * factor);
}

/** Going through a text once, per character. */
export const TRAVERSAL = 0.1;
/** Matching one character, per character of the expression. */
export const REGEX = 0.25;
