/**
 * Which items of a list were there before, by their places. In one walk: lists come from clients and may be long.
 */
export function duplicateIndexes(values: readonly (string | number)[]): ReadonlySet<number> {
  const seen = new Set<string | number>();
  const repeated = new Set<number>();
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) repeated.add(index);
    seen.add(value);
  }
  return repeated;
}
