/**
 * A write that changes nothing but times of ownership is no write: it would wake every watcher for nothing.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { sameJson } from './json-values.ts';
import { entriesOf, withEntries } from './managed-fields.ts';

/** `after`, with the times of `before` where those are all that differs. */
export function keepTimes(before: JsonObject, after: JsonObject): JsonObject {
  const old = entriesOf(before) ?? [];
  const entries = entriesOf(after) ?? [];
  if (entries.length === 0 || entries.length !== old.length) return after;
  const isSame = entries.every((entry, index) => sameJson(timeless(entry), timeless(old[index] ?? null)));
  if (!isSame || !sameJson(withEntries(before, undefined), withEntries(after, undefined))) return after;
  return withEntries(after, old);
}

function timeless(entry: Json): JsonObject {
  if (!isJsonObject(entry)) return {};
  const { time: _, ...rest } = entry;
  return rest;
}
