/**
 * Suggestions for misspelt names.
 */

/**
 * The known name with the smallest edit distance to the given one, if within the limit: by default a third of its length.
 */
export function nearestName(
  given: string,
  known: readonly string[],
  maxDistance = Math.floor(given.length / 3),
): string | undefined {
  const plain = given.toLowerCase();
  let nearest: string | undefined;
  let limit = maxDistance + 1;
  for (const name of known) {
    const distance = editDistance(plain, name.toLowerCase());
    if (distance >= limit) continue;
    nearest = name;
    limit = distance;
  }
  return nearest;
}

/** ` (did you mean labels?)`, or nothing. */
export function didYouMean(given: string, known: readonly string[]): string {
  const nearest = nearestName(given, known);
  return nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
}

/** Bounds the cost, which is the product of both lengths. */
const MAX_LENGTH = 100;

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  if (a.length > MAX_LENGTH || b.length > MAX_LENGTH) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
