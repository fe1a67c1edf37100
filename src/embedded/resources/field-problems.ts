/**
 * Field errors with the messages of kube-apiserver's `field` package. Callers format the value, because the format
 * depends on its Go type (`decoding/go-format.ts`).
 */
import type { Problem } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';

export function required(path: string, detail = ''): Problem {
  return { path, message: joined('Required value', detail), reason: 'FieldValueRequired' };
}

export function forbidden(path: string, detail: string): Problem {
  return { path, message: joined('Forbidden', detail), reason: 'FieldValueForbidden' };
}

/** `value` is undefined where kube-apiserver omits it. */
export function invalid(path: string, value: string | undefined, detail: string): Problem {
  const message = value === undefined ? 'Invalid value' : `Invalid value: ${value}`;
  return { path, message: joined(message, detail), reason: 'FieldValueInvalid' };
}

export function invalidText(path: string, text: string, detail: string): Problem {
  return invalid(path, quoted(text), detail);
}

export function unsupported(path: string, value: string, supported: readonly string[]): Problem {
  const detail = `supported values: ${supported.map(quoted).join(', ')}`;
  return { path, message: `Unsupported value: ${value}: ${detail}`, reason: 'FieldValueNotSupported' };
}

export function unsupportedText(path: string, text: string, supported: readonly string[]): Problem {
  return unsupported(path, quoted(text), supported);
}

export function duplicate(path: string, value: string): Problem {
  return { path, message: `Duplicate value: ${value}`, reason: 'FieldValueDuplicate' };
}

export function tooLong(path: string, maxBytes: number): Problem {
  return { path, message: `Too long: may not be more than ${maxBytes} bytes`, reason: 'FieldValueTooLong' };
}

export function tooMany(path: string, count: number, max: number): Problem {
  return {
    path,
    message: `Too many: ${count}: must have at most ${max} items`,
    reason: 'FieldValueTooMany',
  };
}

/** kube-apiserver validates some kinds twice on update and reports each error twice. */
export function twice(problems: readonly Problem[]): readonly Problem[] {
  return [...problems, ...problems];
}

/** For counts and durations, which must not be negative. */
export function negativeProblems(path: string, value: number | undefined): readonly Problem[] {
  if (value === undefined || value >= 0) return [];
  return [invalid(path, String(value), 'must be greater than or equal to 0')];
}

function joined(message: string, detail: string): string {
  return detail === '' ? message : `${message}: ${detail}`;
}
