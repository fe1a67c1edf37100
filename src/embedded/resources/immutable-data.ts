/**
 * Immutable ConfigMaps and Secrets (`immutable: true`): their data cannot be changed.
 */

import type { Problem } from '../../base/errors.ts';
import { type JsonObject, jsonEqual } from '../../base/json.ts';
import { objectAt } from '../../base/json-fields.ts';
import { forbidden } from './field-problems.ts';

/** `contents` are the fields that hold the data. */
export function immutableDataProblems(
  object: JsonObject,
  old: JsonObject,
  contents: readonly string[],
): readonly Problem[] {
  if (old.immutable !== true) return [];
  const becomesMutable = object.immutable !== true;
  const changed = contents.filter(
    (field) => !jsonEqual(objectAt(object, field) ?? {}, objectAt(old, field) ?? {}),
  );
  return [...(becomesMutable ? ['immutable'] : []), ...changed].map((field) =>
    forbidden(field, 'field is immutable when `immutable` is set'),
  );
}
