/**
 * Values that are numbers or percentages of a total (IntOrString).
 */

type Rounding = 'up' | 'down';

/** Malformed values count as zero; the server rejects them. */
export function amountOf(
  value: number | string | undefined,
  { total, rounding }: { readonly total: number; readonly rounding: Rounding },
): number {
  if (typeof value === 'number') return value;
  const percent = /^([0-9]+)%$/.exec(value ?? '')?.[1];
  if (percent === undefined) return 0;
  const exact = (Number(percent) * total) / 100;
  return rounding === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
