/**
 * One event in the words of either group.
 */
import type { Json, JsonObject } from '../../base/json.ts';

/** The fields that have another name, in the core group and in `events.k8s.io`. The rest is called alike. */
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

/** The event of `events.k8s.io` as one of the core group, in which form it is kept. */
export function coreEventOf(event: JsonObject): JsonObject {
  return { reportingComponent: '', reportingInstance: '', ...renamed(event, TO_CORE), apiVersion: 'v1' };
}

/** The event of the core group as one of `events.k8s.io`. */
export function eventsEventOf(event: JsonObject): JsonObject {
  const converted = renamed(event, TO_EVENTS);
  const entries = Object.entries(converted).filter(([key, value]) => !EMPTIABLE.has(key) || value !== '');
  return { ...Object.fromEntries(entries), apiVersion: 'events.k8s.io/v1' };
}

/** The core group writes these in any case, the other only where they say something. */
const EMPTIABLE: ReadonlySet<string> = new Set(['reportingController', 'reportingInstance']);

function renamed(event: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(event).map(([key, value]): [string, Json] => [names.get(key) ?? key, value]),
  );
}
