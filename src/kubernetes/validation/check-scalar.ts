/**
 * Checks of a single value: its type, its format, and the limits on strings and numbers.
 */
import { isObject, jsonEqual } from '../../base/json.ts';
import {
  compileRegex,
  FORMATS,
  floatText,
  isFound,
  isWhole,
  numeral,
  quoted,
} from '../../base/text/index.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { invalidType, invalidValue, tooLong } from './problems.ts';
import type { Finding } from './validation-result.ts';

/** Formats that CRDs of third parties may have in addition to those of our own schemas. */
type NumberLimits = StructuralSchema & {
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
};

const INT_OR_STRING = ['integer', 'string'] as const;
const NO_TYPES: readonly string[] = [];

export function typesOf(schema: StructuralSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string']) return INT_OR_STRING;
  return schema.type === undefined ? NO_TYPES : [schema.type];
}

/** The format if the server checks it; it ignores all others, among them `int32` and `int64`. */
export function formatOf(schema: StructuralSchema): string | undefined {
  if (schema.format === undefined) return undefined;
  return FORMATS.has(schema.format.replaceAll('-', '')) ? schema.format : undefined;
}

export function checkType(
  types: readonly string[],
  format: string | undefined,
  value: unknown,
  name: string,
): Finding | undefined {
  const actual = typeOf(value);
  const fits =
    types.includes(actual) ||
    (actual === 'integer' && types.includes('number')) ||
    // A branch of a combination may have a format without a type.
    (types.length === 0 && (actual === 'string' || actual === 'array'));
  if (fits) return undefined;
  // For a number or an object in place of a formatted string the server reports the format.
  if (format !== undefined && actual !== 'string' && actual !== 'array') {
    return wrongType(name, format, NATIVE_FORMATS[actual] ?? '');
  }
  return wrongType(name, types.join(), actual);
}

const NATIVE_FORMATS: { readonly [type: string]: string } = { integer: 'int64', number: 'float64' };

export function wrongType(name: string, wanted: string, actual: string): Finding {
  const text = `${name} in body must be of type ${wanted}: ${quoted(actual)}`;
  return { text, problem: invalidType(pathOf(name), actual, text) };
}

/** The JSON type of the value. A value that JSON does not have counts as null. */
function typeOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return typeof value;
    case 'number':
      return isWhole(value) ? 'integer' : 'number';
    default:
      if (Array.isArray(value)) return 'array';
      return isObject(value) ? 'object' : 'null';
  }
}

export function checkString(schema: StructuralSchema, value: string, name: string): Finding | undefined {
  const { minLength, maxLength, pattern } = schema;
  if (maxLength !== undefined && isLongerThan(value, maxLength)) {
    const text = `${name} in body should be at most ${maxLength} chars long`;
    return { text, problem: tooLong(pathOf(name), maxLength) };
  }
  if (minLength !== undefined && minLength > 0 && !isLongerThan(value, minLength - 1)) {
    return finding(name, value, `should be at least ${minLength} chars long`);
  }
  if (pattern === undefined || pattern === '') return undefined;
  const regex = compileRegex(pattern);
  if (regex.kind === 'bad') {
    return finding(name, value, `should match '${pattern}, but pattern is invalid: ${regex.error}'`);
  }
  return isFound(regex, value) ? undefined : finding(name, value, `should match '${pattern}'`);
}

/** Counts code points, as the server does, and only as many as necessary. */
function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let count = 0;
  for (const _ of text) if (++count > limit) return true;
  return false;
}

export function checkFormat(format: string, value: string, name: string): Finding | undefined {
  const accepts = FORMATS.get(format.replaceAll('-', ''));
  if (accepts === undefined || accepts(value)) return undefined;
  const finding = wrongType(name, format, value);
  // Bytes are often keys and credentials, and a text that is not base64 may be the secret itself: it is not shown.
  return format === 'byte' ? { ...finding, problem: { ...finding.problem, discreet: NOT_BASE64 } } : finding;
}

const NOT_BASE64 = 'Invalid value: must be base64 (the value is not shown: it may be a secret)';

export function checkNumber(schema: NumberLimits, value: number, name: string): readonly Finding[] {
  const { minimum, maximum, multipleOf } = schema;
  const findings: Finding[] = [];
  // The server compares in the type of the value, and also prints the limit in it.
  const text = isWhole(value) ? numeral : floatText;
  if (multipleOf !== undefined && multipleOf > 0 && !Number.isInteger(value / multipleOf)) {
    findings.push(finding(name, value, `should be a multiple of ${text(multipleOf)}`));
  }
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum)) {
    const bound = schema.exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    findings.push(finding(name, value, `should be ${bound} ${text(minimum)}`));
  }
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum)) {
    const bound = schema.exclusiveMaximum ? 'less than' : 'less than or equal to';
    findings.push(finding(name, value, `should be ${bound} ${text(maximum)}`));
  }
  return findings;
}

export function isListed(values: readonly unknown[], value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return values.includes(value);
  return values.some((item) => jsonEqual(item, value));
}

function finding(name: string, value: unknown, what: string): Finding {
  const text = `${name} in body ${what}`;
  return { text, problem: invalidValue(pathOf(name), value, text) };
}

/** Names of map entries and of required fields begin with a dot at the root. */
export function pathOf(name: string): string {
  return name.startsWith('.') ? name.slice(1) : name;
}
