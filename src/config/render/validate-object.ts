/**
 * Is an object what its kind says?
 */

import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { type AnyKind, metadataProblems } from '../../kubernetes/meta/index.ts';
import { applyDefaults, validate } from '../../kubernetes/validation/index.ts';

/** The object as a server would store it: with defaults, and with `null` for "nothing" taken out. */
export function validatedObject<T>(kind: AnyKind, object: unknown): Outcome<T> {
  const value = applyDefaults(kind.schema, object);
  const problems = [...metadataProblems(value), ...validate(kind.schema, value)];
  // The schema and the check of the metadata above have just shown that it is one.
  return problems.length === 0 ? ok(value as T) : invalid(problems);
}
