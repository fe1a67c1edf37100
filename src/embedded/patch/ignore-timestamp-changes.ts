/**
 * A write that changes nothing but times of ownership is no write: it would wake every watcher for nothing.
 */
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { sameJson } from './json-values.ts';
import { entriesOf, withEntries } from './managed-fields.ts';

/** `after`, with the times of `before` where those are all that differs. */
export function ignoreTimestampChanges(before: JsonObject, after: JsonObject): JsonObject {
  const old = entriesOf(before) ?? [];
  const entries = entriesOf(after) ?? [];
  if (entries.length === 0 || entries.length !== old.length) return after;
  if (!isSameBut('metadata', before, after)) return after;
  const [metadata, oldMetadata] = [own(after, 'metadata'), own(before, 'metadata')];
  if (!isJsonObject(metadata) || !isJsonObject(oldMetadata)) return after;
  if (!isSameBut('managedFields', oldMetadata, metadata)) return after;
  const isSame = entries.every((entry, index) =>
    sameJson(withoutTime(entry), withoutTime(old[index] ?? null)),
  );
  return isSame ? withEntries(after, old) : after;
}

/** Without making objects that lack the field: nearly all writes change something, and that is soon found. */
function isSameBut(field: string, a: JsonObject, b: JsonObject): boolean {
  for (const name of Object.keys(a)) {
    if (name !== field && !(Object.hasOwn(b, name) && sameJson(a[name], b[name]))) return false;
  }
  return Object.keys(b).every((name) => name === field || Object.hasOwn(a, name));
}

function withoutTime(entry: Json): JsonObject {
  if (!isJsonObject(entry)) return {};
  const { time: _, ...rest } = entry;
  return rest;
}
