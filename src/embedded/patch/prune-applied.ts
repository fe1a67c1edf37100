/**
 * Pruning of server-side apply: removes the fields that the manager applied last time but not this time, unless others
 * own them.
 */
import type { Json } from '../../base/json.ts';
import { differenceOf, EMPTY_SET, type FieldSet, intersectionOf, isEmptySet, unionOf } from './field-set.ts';
import type { FieldManagers } from './managed-fields.ts';
import type { Shape } from './shape.ts';
import { fieldsOf, withNamedFields, withoutTyped } from './typed-fields.ts';

/** `last`: what the manager applied last time; `managers`: those after this apply, including its fields. */
export function pruneApplied(shape: Shape, merged: Json, last: FieldSet, managers: FieldManagers): Json {
  if (isEmptySet(last)) return merged;
  const named = (set: FieldSet) => withNamedFields(shape, set);
  const mergedFields = named(fieldsOf(shape, merged));
  const lastFields = named(last);
  const withoutLast = withoutTyped(shape, merged, lastFields);
  const owned = [...managers.values()].reduce<FieldSet>((all, { fields }) => unionOf(all, fields), EMPTY_SET);
  const kept = unionOf(named(fieldsOf(shape, withoutLast)), named(owned));
  const withOwned = withoutTyped(shape, merged, differenceOf(mergedFields, kept));
  // Fields that were removed with their parent although never applied are restored.
  const removed = differenceOf(mergedFields, named(fieldsOf(shape, withOwned)));
  return withoutTyped(shape, merged, intersectionOf(removed, lastFields));
}
