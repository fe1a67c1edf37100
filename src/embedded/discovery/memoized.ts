/**
 * Expensive results, cached for as long as the input they were made from.
 */

/** Computes on first use, so that importing a table costs nothing. */
export function lazily<V>(compute: () => V): () => V {
  let known: { readonly value: V } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/** Computes once for each key. The key must not change afterwards. */
export function memoized<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const found = known.get(key) ?? { value: compute(key) };
    known.set(key, found);
    return found.value;
  };
}

/**
 * Computes once for the same items in the same order, in whatever list they are. One result is cached per first item:
 * when a list changes, the older result is dropped.
 */
export function memoizedByItems<K extends object, V>(
  compute: (items: readonly K[]) => V,
): (items: readonly K[]) => V {
  const known = new WeakMap<K, { readonly items: readonly K[]; readonly value: V }>();
  return (items) => {
    const [first] = items;
    const found = first === undefined ? undefined : known.get(first);
    if (found !== undefined && isSame(found.items, items)) return found.value;
    const value = compute(items);
    if (first !== undefined) known.set(first, { items, value });
    return value;
  };
}

function isSame(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
