/**
 * Quantities in canonical form: `1024Mi` becomes `1Gi`, `0.5` becomes `500m`.
 */
import { compareQuantities, parseQuantity, type Quantity } from './quantity.ts';

type ReadQuantity =
  | { readonly kind: 'quantity'; readonly text: string }
  | { readonly kind: 'failed'; readonly message: string };

/** The canonical form of a value. `atLeastMilli`: for amounts of resources, which keep nothing finer than a thousandth. */
export function readQuantity(
  sent: unknown,
  { atLeastMilli }: { readonly atLeastMilli: boolean },
): ReadQuantity {
  if (sent === null) return { kind: 'quantity', text: '0' };
  // Neither string nor number: read as its JSON text, which is not a quantity.
  const text = typeof sent === 'string' ? sent.trim() : typeof sent === 'number' ? String(sent) : '{}';
  const quantity = parseQuantity(FORM.test(text) ? text : '');
  if ('error' in quantity) return { kind: 'failed', message: quantity.error };
  const amount = atLeastMilli ? roundedUp(quantity, 3) : quantity;
  if (amount === quantity && isUsual(text)) return { kind: 'quantity', text };
  return { kind: 'quantity', text: quantityText(amount, formatOf(text)) };
}

type Format = 'binary' | 'decimal' | 'exponent';

/** Letters of no known suffix make the whole text malformed. */
const FORM = /^[+-]?[0-9.]+[eEinumkKMGTP]*[-+]?[0-9]*$/;
const NUMBER = /^[+-]?(\d*)\.?(\d*)/;
const MAX_USUAL_DIGITS = 18;
const MAX_BINARY_DIGITS = 14;
const MAX_AMOUNT = 2n ** 63n - 1n;

function formatOf(text: string): Format {
  if (text.endsWith('i')) return 'binary';
  return /[eE][+-]?\d+$/.test(text) ? 'exponent' : 'decimal';
}

/** A text that the server considers canonical is kept to the letter, even with a sign. */
function isUsual(text: string): boolean {
  const [sent = '', whole = '', fraction = ''] = NUMBER.exec(text) ?? [];
  const digits = whole.replace(/^0+(?=\d)/, '') + fraction;
  const suffix = text.slice(sent.length);
  if (formatOf(text) === 'binary') {
    const power = 3 * BINARY.indexOf(suffix);
    return fraction === '' && digits.length + power <= MAX_BINARY_DIGITS && (BigInt(digits) & 7n) !== 0n;
  }
  const exponent = formatOf(text) === 'exponent' ? Number(suffix.slice(1)) : 0;
  const isWholeStep = (exponent - fraction.length) % 3 === 0;
  const isShort = digits.length <= MAX_USUAL_DIGITS && exponent - fraction.length >= -9;
  return isShort && isWholeStep && !digits.endsWith('000') && !digits.startsWith('0');
}

function roundedUp(quantity: Quantity, scale: number): Quantity {
  if (quantity.scale <= scale) return quantity;
  const by = 10n ** BigInt(quantity.scale - scale);
  const up = quantity.digits > 0n ? by - 1n : 1n - by;
  const digits = (quantity.digits + up) / by;
  const rounded = { digits, scale };
  return compareQuantities(rounded, quantity) === 0 ? quantity : rounded;
}

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: ReadonlyMap<number, string> = new Map([
  ...['', 'k', 'M', 'G', 'T', 'P', 'E'].map((suffix, index): [number, string] => [index * 3, suffix]),
  ...['m', 'u', 'n'].map((suffix, index): [number, string] => [-3 * (index + 1), suffix]),
]);

/** The canonical text of an amount. */
function quantityText(quantity: Quantity, format: Format): string {
  if (quantity.digits === 0n) return '0';
  return (format === 'binary' ? binaryText(quantity) : undefined) ?? decimalText(quantity, format);
}

/** Undefined where the amount is small or fractional: then it is written in decimal form. */
function binaryText({ digits, scale }: Quantity): string | undefined {
  const unit = 10n ** BigInt(scale);
  if (digits % unit !== 0n) return undefined;
  let amount = digits / unit;
  if (amount > MAX_AMOUNT) amount = MAX_AMOUNT;
  if (amount > -1024n && amount < 1024n) return undefined;
  let power = 0;
  while (amount % 1024n === 0n && power < BINARY.length - 1) {
    amount /= 1024n;
    power += 1;
  }
  return `${amount}${BINARY[power] ?? ''}`;
}

function decimalText({ digits, scale }: Quantity, format: Format): string {
  let exponent = -scale;
  let amount = digits;
  while (exponent % 3 !== 0) {
    amount *= 10n;
    exponent -= 1;
  }
  while (amount % 1000n === 0n) {
    amount /= 1000n;
    exponent += 3;
  }
  if (format === 'exponent') return exponent === 0 ? String(amount) : `${amount}e${exponent}`;
  // Beyond the largest suffix the digits are written out.
  const beyond = Math.max(0, exponent - 18);
  return `${amount * 10n ** BigInt(beyond)}${DECIMAL.get(exponent - beyond) ?? ''}`;
}
