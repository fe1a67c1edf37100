/**
 * Answers that cost much and are asked for often, kept for as long as what they were made from.
 */

/** Computes when first context, so that whoever imports a table does not pay for it. */
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
 * Computes once for the same items in the same order, whichever list they come in. One result is kept for each
 * first item: when a list changes, the older answer is dropped.
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
