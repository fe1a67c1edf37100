/**
 * Conversion of Events between the core group and `events.k8s.io`.
 */
import type { Json, JsonObject } from '../../base/json.ts';

/** Fields whose names differ between the core group and `events.k8s.io`. */
const NAMES: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['count', 'deprecatedCount'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['source', 'deprecatedSource'],
  ['reportingComponent', 'reportingController'],
];
const TO_EVENTS: ReadonlyMap<string, string> = new Map(NAMES);
const TO_CORE: ReadonlyMap<string, string> = new Map(NAMES.map(([core, events]) => [events, core]));

/** Converts an Event of `events.k8s.io` to the core group, the storage version. */
export function coreEventOf(event: JsonObject): JsonObject {
  return { reportingComponent: '', reportingInstance: '', ...renamed(event, TO_CORE), apiVersion: 'v1' };
}

/** Converts an Event of the core group to `events.k8s.io`. */
export function eventsEventOf(event: JsonObject): JsonObject {
  const converted = renamed(event, TO_EVENTS);
  const entries = Object.entries(converted).filter(
    ([key, value]) => !OMITTED_WHEN_EMPTY.has(key) || value !== '',
  );
  return { ...Object.fromEntries(entries), apiVersion: 'events.k8s.io/v1' };
}

/** Always serialized in the core group; omitted when empty in `events.k8s.io`. */
const OMITTED_WHEN_EMPTY: ReadonlySet<string> = new Set(['reportingController', 'reportingInstance']);

function renamed(event: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(event).map(([key, value]): [string, Json] => [names.get(key) ?? key, value]),
  );
}
