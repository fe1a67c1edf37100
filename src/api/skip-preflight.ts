/**
 * The annotation by which an administrator has pre-flight checks pass a config: `true` for all of them, or their names,
 * separated by commas.
 */

type SkippedChecks = { readonly isAll: boolean; readonly names: readonly string[] };

export function parseSkippedChecks(value: string | undefined): SkippedChecks {
  const words = (value ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  return { isAll: words.includes(ALL), names: words.filter((word) => word !== ALL) };
}

const ALL = 'true';

/** The value for all of these together; undefined where they skip nothing. */
export function mergeSkippedChecks(values: readonly (string | undefined)[]): string | undefined {
  const skipped = values.map(parseSkippedChecks);
  if (skipped.some(({ isAll }) => isAll)) return ALL;
  const names = [...new Set(skipped.flatMap((one) => one.names))].sort();
  return names.length === 0 ? undefined : names.join(',');
}
