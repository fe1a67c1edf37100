/**
 * Merges the applied configuration into the live object. Nothing is removed here: `apply` prunes.
 */
import { type Json, type JsonObject, own } from '../../base/json.ts';
import type { PathElement } from './path-element.ts';
import { type ListShape, type MapShape, type Shape, shapeOfField } from './shape.ts';
import { dispatchKind, filledList, filledObject, kindOf, knownElement } from './typed-value.ts';

/** Both objects must be valid. Undefined if both sides are absent. */
export function mergeTyped(
  shape: Shape,
  live: Json | undefined,
  applied: Json | undefined,
): Json | undefined {
  const leaf = applied === undefined ? live : applied;
  const kind = applied === undefined ? kindOf(shape, live) : kindOf(shape, applied);
  return dispatchKind<Json | undefined>(kind, shape, {
    scalar: () => leaf,
    map: (map) => {
      const left = filledObject(live);
      const right = filledObject(applied);
      // If both are empty or null, the applied one is taken.
      if (map.isAtomic || (left === undefined && right === undefined)) return leaf;
      return mergeMaps(map, left ?? {}, right ?? {});
    },
    list: (list) => {
      const left = filledList(live);
      const right = filledList(applied);
      if (list.isAtomic || (left === undefined && right === undefined)) return leaf;
      return mergeLists(list, left ?? [], right ?? []);
    },
  });
}

function mergeMaps(map: MapShape, live: JsonObject, applied: JsonObject): JsonObject | undefined {
  const names = new Set([...Object.keys(live), ...Object.keys(applied)]);
  const fields: [string, Json][] = [];
  for (const name of names) {
    const shape = shapeOfField(map, name) ?? {};
    const value = mergeTyped(shape, own(live, name), own(applied, name));
    if (value !== undefined) fields.push([name, value]);
  }
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

type Side = { readonly items: readonly Json[]; readonly elements: readonly PathElement[] };

/**
 * Items of both sides come in the applied order; items of the live list only stay before the item that they preceded.
 */
function mergeLists(list: ListShape, live: readonly Json[], applied: readonly Json[]): readonly Json[] {
  const left: Side = { items: live, elements: live.map((item) => knownElement(list, item)) };
  const right: Side = { items: applied, elements: applied.map((item) => knownElement(list, item)) };
  const liveItems = uniqueItems(left);
  const appliedItems = uniqueItems(right);
  const shared = right.elements.filter(({ id }) => liveItems.has(id)).map(({ id }) => id);
  const out: Json[] = [];
  const done = new Set<string>();
  const take = (liveItem: Json | undefined, appliedItem: Json | undefined) => {
    const value = mergeTyped(list.items, liveItem, appliedItem);
    if (value !== undefined) out.push(value);
  };
  let nextShared = 0;
  let l = 0;
  let r = 0;
  while (l < left.elements.length || r < right.elements.length) {
    const ours = left.elements[l];
    const theirs = right.elements[r];
    if (ours !== undefined && theirs !== undefined && ours.id !== theirs.id) {
      // An item of both sides that is out of order.
      const awaited = shared[nextShared];
      if (appliedItems.has(ours.id) && awaited !== undefined && awaited !== ours.id) {
        l++;
        continue;
      }
    }
    if (ours !== undefined && ours.id !== theirs?.id) {
      if (!appliedItems.has(ours.id)) {
        take(left.items[l], undefined);
        l++;
        continue;
      }
      if (done.has(ours.id)) l++;
    }
    if (theirs === undefined) continue;
    done.add(theirs.id);
    take(liveItems.get(theirs.id), appliedItems.get(theirs.id));
    r++;
    if (ours?.id === theirs.id) l++;
    if (shared[nextShared] === theirs.id || ours?.id === theirs.id) nextShared++;
  }
  return out;
}

/** Items by identity. Duplicates are merged with nothing. */
function uniqueItems({ items, elements }: Side): ReadonlyMap<string, Json> {
  const unique = new Map<string, Json>();
  for (const [index, { id }] of elements.entries())
    unique.set(id, unique.has(id) ? null : (items[index] ?? null));
  return unique;
}
