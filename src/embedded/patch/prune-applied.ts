/**
 * What apply takes away: the fields that the owner applied the last time and not this time, if nobody else owns
 * them.
 */
import type { Json } from '../../base/json.ts';
import { differenceOf, EMPTY_SET, type FieldSet, intersectionOf, isEmptySet, unionOf } from './field-set.ts';
import type { FieldManagers } from './managed-fields.ts';
import type { Shape } from './shape.ts';
import { fieldsOf, withNamedFields, withoutTyped } from './typed-fields.ts';

/** `last` is what the owner applied the last time; `owners` are those after this apply, with what it applies now. */
export function pruneApplied(shape: Shape, merged: Json, last: FieldSet, managers: FieldManagers): Json {
  if (isEmptySet(last)) return merged;
  const named = (set: FieldSet) => withNamedFields(shape, set);
  const mergedFields = named(fieldsOf(shape, merged));
  const lastFields = named(last);
  const bare = withoutTyped(shape, merged, lastFields);
  const owned = [...managers.values()].reduce<FieldSet>((all, { fields }) => unionOf(all, fields), EMPTY_SET);
  const kept = unionOf(named(fieldsOf(shape, bare)), named(owned));
  const withOwned = withoutTyped(shape, merged, differenceOf(mergedFields, kept));
  // What went along although it was never applied comes back.
  const gone = differenceOf(mergedFields, named(fieldsOf(shape, withOwned)));
  return withoutTyped(shape, merged, intersectionOf(gone, lastFields));
}
