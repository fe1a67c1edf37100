/**
 * Problems of a CRD in the words of the server: a kind of mistake, the value, and a detail. The value is
 * given as it is printed, because many are Go structures there (`go-values.ts`).
 */
import type { Problem, ProblemReason } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';

export function invalidValue(path: string, value: string, detail: string): Problem {
  return problem('FieldValueInvalid', path, `Invalid value: ${value}: ${detail}`);
}

/** The same of a text. */
export function invalidText(path: string, text: string, detail: string): Problem {
  return invalidValue(path, quoted(text), detail);
}

export function requiredValue(path: string, detail = ''): Problem {
  return problem('FieldValueRequired', path, detail === '' ? 'Required value' : `Required value: ${detail}`);
}

export function forbidden(path: string, detail: string): Problem {
  return problem('FieldValueForbidden', path, `Forbidden: ${detail}`);
}

export function duplicateText(path: string, text: string): Problem {
  return problem('FieldValueDuplicate', path, `Duplicate value: ${quoted(text)}`);
}

export function unsupportedText(path: string, text: string, supported: readonly string[]): Problem {
  const values = supported.map(quoted).join(', ');
  const message = `Unsupported value: ${quoted(text)}: supported values: ${values}`;
  return problem('FieldValueNotSupported', path, message);
}

export function tooMany(path: string, actual: number, max: number): Problem {
  return problem('FieldValueTooMany', path, `Too many: ${actual}: must have at most ${max} items`);
}

function problem(reason: ProblemReason, path: string, message: string): Problem {
  return { path, message, reason };
}
