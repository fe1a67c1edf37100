/**
 * Integers in strings, as Go parses them (`strconv.ParseInt`).
 */

const DIGITS = /^[+-]?\d{1,40}$/;
const LIMIT = 2n ** 63n;

/** Undefined where the text is no integer of 64 bits. */
export function parseInt64(text: string): bigint | undefined {
  if (!DIGITS.test(text)) return undefined;
  const size = BigInt(text.replace(/^[+-]/, ''));
  const value = text.startsWith('-') ? -size : size;
  return value >= -LIMIT && value < LIMIT ? value : undefined;
}
