/**
 * The order of list items after a strategic merge.
 */
import { isJsonObject, type Json } from '../../base/json.ts';
import { unknownError } from '../status/index.ts';
import { type Patched, patched } from './patched.ts';
import { type ItemKind, keyOf, lacksKey } from './strategic-items.ts';

type Arrangement = {
  readonly items: readonly Json[];
  /** The requested order. */
  readonly order: readonly Json[];
  /** The list before the patch. */
  readonly live: readonly Json[];
  readonly mergeKey: string;
  readonly kind: ItemKind;
};

/** Items in `order` come in that order; the others are inserted before the item that they preceded in `live`. */
export function arranged({ items, order, live, mergeKey, kind }: Arrangement): Patched<readonly Json[]> {
  const wanted = positions(order, mergeKey);
  const before = positions(live, mergeKey);
  const named: Json[] = [];
  const others: Json[] = [];
  for (const item of items) {
    const keyless = mergeKey === '' ? undefined : lacksKey(item, mergeKey);
    if (keyless !== undefined) return keyless;
    const at = wanted.at.get(keyOf(item, mergeKey));
    const isNamed = at !== undefined && at < wanted.strayAt;
    if (!isNamed && wanted.strayAt < Number.POSITIVE_INFINITY) {
      return unknownError(`value for key ${wanted.strayAt} is not a map`);
    }
    (isNamed ? named : others).push(item);
  }
  if (kind === 'object') {
    for (const item of [...named, ...order, ...others, ...live]) {
      const keyless = lacksKey(item, mergeKey);
      if (keyless !== undefined) return keyless;
    }
  }
  const location = (map: ReadonlyMap<string, number>) => (item: Json) =>
    map.get(keyOf(item, mergeKey)) ?? Number.POSITIVE_INFINITY;
  return patched(
    interleaved(
      sortedBy(others, location(before.at)),
      sortedBy(named, location(wanted.at)),
      location(before.at),
    ),
  );
}

/** The first index of each key, and of the first item without one. */
function positions(list: readonly Json[], mergeKey: string): { at: Map<string, number>; strayAt: number } {
  const at = new Map<string, number>();
  let strayAt = Number.POSITIVE_INFINITY;
  for (const [index, item] of list.entries()) {
    if (mergeKey !== '' && !isJsonObject(item)) {
      strayAt = Math.min(strayAt, index);
      continue;
    }
    if (mergeKey !== '' && isJsonObject(item) && !Object.hasOwn(item, mergeKey)) continue;
    const key = keyOf(item, mergeKey);
    if (!at.has(key)) at.set(key, index);
  }
  return { at, strayAt };
}

function sortedBy(items: readonly Json[], location: (item: Json) => number): readonly Json[] {
  // Infinity minus infinity is NaN.
  return items
    .map((item) => ({ item, at: Math.min(location(item), Number.MAX_SAFE_INTEGER) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Left items go before the first right item that they preceded; new right items come first. */
function interleaved(
  left: readonly Json[],
  right: readonly Json[],
  location: (item: Json) => number,
): readonly Json[] {
  const all: Json[] = [];
  let taken = 0;
  for (const item of right) {
    for (let next = left[taken]; next !== undefined; next = left[taken]) {
      const at = location(next);
      const limit = location(item);
      if (limit === Number.POSITIVE_INFINITY || at >= limit) break;
      all.push(next);
      taken++;
    }
    all.push(item);
  }
  return [...all, ...left.slice(taken)];
}
