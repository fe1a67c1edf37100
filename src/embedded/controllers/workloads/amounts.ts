/**
 * Amounts that are numbers or percentages of a total.
 */

type Rounding = 'up' | 'down';

/** What is neither a number nor a percentage counts as nothing: the server lets none of that through. */
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
