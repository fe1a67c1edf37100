/**
 * A write that changes only timestamps in `managedFields` is no change: it would notify every watcher for nothing.
 */
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { sameJson } from './json-values.ts';
import { entriesOf, withEntries } from './managed-fields.ts';

/** `after`, with the timestamps of `before` if nothing else differs. */
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

/** Without copying objects: nearly all writes change something, which is found quickly. */
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
