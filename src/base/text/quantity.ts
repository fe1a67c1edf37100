/**
 * Kubernetes' quantities (`5Gi`, `250m`), exact.
 */

/** `digits` times ten to the power of minus `scale`. */
export type Quantity = { readonly digits: bigint; readonly scale: number };

type Unit = { readonly base: 2 | 10; readonly exponent: number };

const DECIMAL: readonly [string, number][] = [
  ...['', 'k', 'M', 'G', 'T', 'P', 'E'].map((suffix, index): [string, number] => [suffix, index * 3]),
  ...['m', 'u', 'n'].map((suffix, index): [string, number] => [suffix, -3 * (index + 1)]),
];
const BINARY: readonly [string, number][] = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((suffix, index) => [
  suffix,
  (index + 1) * 10,
]);
const UNITS: ReadonlyMap<string, Unit> = new Map<string, Unit>([
  ...DECIMAL.map(([suffix, exponent]): [string, Unit] => [suffix, { base: 10, exponent }]),
  ...BINARY.map(([suffix, exponent]): [string, Unit] => [suffix, { base: 2, exponent }]),
]);

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?([a-zA-Z]*)([+-]?\d*)$/;
const MAX_CHARS = 200;
const MAX_EXPONENT = 1000;
/** Finer parts are rounded up to this many digits behind the point. */
const MAX_SCALE = 9;
const MAX_VALUE = 2n ** 63n - 1n;

const BAD_FORM =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const BAD_SUFFIX = "unable to parse quantity's suffix";

export function parseQuantity(text: string): Quantity | { readonly error: string } {
  const parts = text.length > MAX_CHARS ? null : FORM.exec(text);
  if (parts === null) return { error: BAD_FORM };
  const [, sign = '', whole = '', fraction = '', suffix = '', power = ''] = parts;
  if (whole === '' && fraction === '') return { error: BAD_FORM };
  const unit = unitOf(suffix, power);
  if (unit === undefined) return { error: BAD_SUFFIX };
  const size = BigInt(whole + fraction) * (unit.base === 2 ? 2n ** BigInt(unit.exponent) : 1n);
  const scale = fraction.length - (unit.base === 10 ? unit.exponent : 0);
  const quantity = rounded(size, scale);
  return sign === '-' ? { ...quantity, digits: -quantity.digits } : quantity;
}

function unitOf(suffix: string, power: string): Unit | undefined {
  if ((suffix === 'e' || suffix === 'E') && power !== '') {
    const exponent = Number(power);
    return Number.isInteger(exponent) && Math.abs(exponent) <= MAX_EXPONENT
      ? { base: 10, exponent }
      : undefined;
  }
  return power === '' ? UNITS.get(suffix) : undefined;
}

function rounded(digits: bigint, scale: number): Quantity {
  if (scale < 0) return { digits: digits * 10n ** BigInt(-scale), scale: 0 };
  if (scale <= MAX_SCALE) return { digits, scale };
  const by = 10n ** BigInt(scale - MAX_SCALE);
  return { digits: (digits + by - 1n) / by, scale: MAX_SCALE };
}

/** -1, 0 or 1. */
export function compareQuantities(left: Quantity, right: Quantity): number {
  const scale = Math.max(left.scale, right.scale);
  const a = digitsAt(left, scale);
  const b = digitsAt(right, scale);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function addQuantities(left: Quantity, right: Quantity): Quantity {
  const scale = Math.max(left.scale, right.scale);
  return { digits: digitsAt(left, scale) + digitsAt(right, scale), scale };
}

function digitsAt(quantity: Quantity, scale: number): bigint {
  return quantity.digits * 10n ** BigInt(scale - quantity.scale);
}

/** The value if it is a whole number that fits 64 bits. */
export function wholeNumber({ digits, scale }: Quantity): bigint | undefined {
  const unit = 10n ** BigInt(scale);
  const value = digits / unit;
  const isWhole = digits % unit === 0n && value <= MAX_VALUE && value >= -MAX_VALUE - 1n;
  return isWhole ? value : undefined;
}
