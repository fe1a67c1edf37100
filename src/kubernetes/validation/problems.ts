/**
 * Errors in the format of the server (`field.Error`): a type, the offending value, and a detail.
 */
import type { Problem, ProblemReason } from '../../base/errors.ts';
import { quoted, shown } from '../../base/text/index.ts';

const TITLES = {
  FieldValueInvalid: 'Invalid value',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueTooMany: 'Too many',
  FieldValueTooLong: 'Too long',
  FieldValueRequired: 'Required value',
  FieldValueForbidden: 'Forbidden',
  FieldValueNotFound: 'Not found',
} as const satisfies Record<ProblemReason, string>;

export function invalidValue(path: string, value: unknown, detail: string): Problem {
  return withValue('FieldValueInvalid', { path, value, detail });
}

export function invalidType(path: string, value: unknown, detail: string): Problem {
  return withValue('FieldValueTypeInvalid', { path, value, detail });
}

export function duplicateValue(path: string, value: unknown): Problem {
  return withValue('FieldValueDuplicate', { path, value, detail: '' });
}

export function unsupportedValue(path: string, value: unknown, supported: readonly unknown[]): Problem {
  const values = supported.map((item) => quoted(typeof item === 'string' ? item : JSON.stringify(item)));
  const detail = values.length === 0 ? '' : `supported values: ${values.join(', ')}`;
  return withValue('FieldValueNotSupported', { path, value, detail });
}

export function requiredValue(path: string, detail: string): Problem {
  return withoutValue('FieldValueRequired', path, detail);
}

export function forbidden(path: string, detail: string): Problem {
  return withoutValue('FieldValueForbidden', path, detail);
}

/** The server's message has bytes, although it counts characters. */
export function tooLong(path: string, max: number): Problem {
  return withoutValue('FieldValueTooLong', path, `may not be more than ${max} bytes`);
}

export function tooMany(path: string, actual: number, max: number): Problem {
  return withValue('FieldValueTooMany', { path, value: actual, detail: `must have at most ${max} items` });
}

function withValue(
  reason: ProblemReason,
  { path, value, detail }: { readonly path: string; readonly value: unknown; readonly detail: string },
): Problem {
  return withoutValue(reason, path, detail === '' ? shown(value) : `${shown(value)}: ${detail}`);
}

function withoutValue(reason: ProblemReason, path: string, text: string): Problem {
  return { path, message: text === '' ? TITLES[reason] : `${TITLES[reason]}: ${text}`, reason };
}
