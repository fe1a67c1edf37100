/**
 * The indexes of values that occurred earlier in the list. Linear, because clients may send long lists.
 */
export function duplicateIndexes(values: readonly (string | number)[]): ReadonlySet<number> {
  const seen = new Set<string | number>();
  const duplicates = new Set<number>();
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) duplicates.add(index);
    seen.add(value);
  }
  return duplicates;
}
