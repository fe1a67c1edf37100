/**
 * What many runs say together: of ten runs, one is faster than `p10`, five than `p50`, nine than `p90`.
 */
export type Band = { readonly p10: number; readonly p50: number; readonly p90: number };

/** Between two values it is interpolated; undefined without values. */
export function bandOf(values: readonly number[]): Band | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number | undefined => {
    const place = share * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
    return low === undefined || high === undefined ? undefined : low + (high - low) * (place % 1);
  };
  const [p10, p50, p90] = [at(0.1), at(0.5), at(0.9)];
  return p10 === undefined || p50 === undefined || p90 === undefined ? undefined : { p10, p50, p90 };
}
