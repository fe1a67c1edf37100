/**
 * Integers in strings, as Go's `strconv.ParseInt` parses them.
 */
type GoInteger =
  | { readonly kind: 'read'; readonly value: bigint }
  | { readonly kind: 'failed'; readonly message: string };

export function readInt64(text: string): GoInteger {
  if (!/^[+-]?[0-9]+$/.test(text)) return failed(text, 'invalid syntax');
  // Longer ones are out of range and would be slow to parse.
  const value = text.length > 100 ? undefined : BigInt(text.replace(/^\+/, ''));
  if (value === undefined || BigInt.asIntN(64, value) !== value) return failed(text, 'value out of range');
  return { kind: 'read', value };
}

function failed(text: string, why: string): GoInteger {
  return { kind: 'failed', message: `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}` };
}
