/**
 * Validates an object against its kind.
 */

import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { type AnyKind, metadataProblems } from '../../kubernetes/meta/index.ts';
import { applyDefaults, validate } from '../../kubernetes/validation/index.ts';

/** The object as the API server would store it: defaulted, and without nulls. */
export function validatedObject<T>(kind: AnyKind, object: unknown): Outcome<T> {
  const value = applyDefaults(kind.schema, object);
  const problems = [...metadataProblems(value), ...validate(kind.schema, value)];
  // Validated above.
  return problems.length === 0 ? ok(value as T) : invalid(problems);
}
