/**
 * The value of a scalar in kubectl.
 *
 * kubectl reads YAML 1.1 with Go's numbers: `0644`, `0o644` and `0_644` are octal, `1_000` is a thousand, `yes` and
 * `on` are true, `0888` (not octal) is 888, and times stay strings. Two cases are rejected instead: numbers that JSON
 * does not have (`.inf`, `.nan`), and integers that would lose digits.
 */
import type { Json } from '../json.ts';

export type Resolved =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'refused'; readonly message: string };

/** A scalar without quotes and without a tag. */
export function resolvePlain(text: string): Resolved {
  if (nulls.has(text)) return value(null);
  if (trues.has(text)) return value(true);
  if (falses.has(text)) return value(false);
  if (notFinite.test(text)) return refused('JSON has no number for infinity or not-a-number');
  if (text.length > MAX_NUMBER_LENGTH) return value(text);
  if (/^[-+0-9]/.test(text)) return resolveNumber(text);
  if (dotFloat.test(text)) return finite(text, text.replaceAll('_', ''));
  return value(text);
}

/** A scalar with a tag; `tag` is the full name. Unknown tags leave the string unchanged. */
export function resolveTagged(tag: string, text: string): Resolved {
  switch (tag) {
    case 'tag:yaml.org,2002:null':
    case 'tag:yaml.org,2002:bool':
    case 'tag:yaml.org,2002:int':
    case 'tag:yaml.org,2002:float':
      return resolveAs(tag.slice('tag:yaml.org,2002:'.length), text);
    case 'tag:yaml.org,2002:timestamp':
      return /^\d{4}-\d{1,2}-\d{1,2}/.test(text) ? value(text) : refused('the value is no !!timestamp');
    case 'tag:yaml.org,2002:binary':
      return decodeBinary(text);
    default:
      return value(text);
  }
}

const nulls = new Set(['', '~', 'null', 'Null', 'NULL']);
const trues = new Set(['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON']);
const falses = new Set(['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF']);
const notFinite = /^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/;
const dotFloat = /^\.\d+(_\d+)*([eE][-+]?\d+(_\d+)*)?$/;
const integer = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)$/;
const decimalFloat = /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/;

/** Longer ones are strings: no JSON number needs so many digits. */
const MAX_NUMBER_LENGTH = 1000;

function resolveNumber(text: string): Resolved {
  const digits = text.replaceAll('_', '');
  const parts = integer.exec(digits);
  if (parts?.[2] !== undefined) return resolveInteger(text, parts[1] === '-', parts[2]);
  if (!decimalFloat.test(digits)) return value(text);
  // Only digits, but not octal because of an 8 or 9: `0888` is decimal.
  const isInteger = /^[-+]?\d+$/.test(digits);
  return isInteger && !Number.isSafeInteger(Number(digits)) ? tooLarge : finite(text, digits);
}

function resolveInteger(text: string, isNegative: boolean, digits: string): Resolved {
  const size = magnitude(digits);
  if (size <= BigInt(Number.MAX_SAFE_INTEGER)) return value(isNegative ? 0 - Number(size) : Number(size));
  // Beyond 64 bits, digits of another base are a string to kubectl.
  const fits = isNegative ? size <= 2n ** 63n : size < 2n ** 64n;
  return !fits && /^0[xXbBoO]/.test(digits) ? value(text) : tooLarge;
}

const tooLarge: Resolved = {
  kind: 'refused',
  message: 'the integer is too large to be kept exactly: put it in quotes if a text is meant',
};

function magnitude(digits: string): bigint {
  if (/^0[xXbBoO]/.test(digits)) return BigInt(digits.toLowerCase());
  return digits.startsWith('0') && digits !== '0' ? BigInt(`0o${digits.slice(1)}`) : BigInt(digits);
}

/** A number too large for a float is a string to kubectl. The addition turns -0 into 0, as in JSON. */
function finite(text: string, digits: string): Resolved {
  const number = Number(digits) + 0;
  return Number.isFinite(number) ? value(number) : value(text);
}

function resolveAs(type: string, text: string): Resolved {
  const resolved = resolvePlain(text);
  if (resolved.kind === 'refused' || fits(type, resolved.value, text)) return resolved;
  return refused(`the value is no !!${type}`);
}

function fits(type: string, resolved: Json, text: string): boolean {
  if (type === 'null') return resolved === null;
  if (type === 'bool') return typeof resolved === 'boolean';
  if (typeof resolved !== 'number') return false;
  return type === 'float' || integer.test(text.replaceAll('_', ''));
}

function decodeBinary(text: string): Resolved {
  const stripped = text.replaceAll(/[\r\n]/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(stripped) || stripped.length % 4 !== 0) {
    return refused('the !!binary value is not base64');
  }
  const bytes = Uint8Array.from(atob(stripped), (character) => character.charCodeAt(0));
  try {
    return value(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return refused('the !!binary value is not UTF-8 text, and JSON holds nothing else');
  }
}

function value(json: Json): Resolved {
  return { kind: 'value', value: json };
}

function refused(message: string): Resolved {
  return { kind: 'refused', message };
}
