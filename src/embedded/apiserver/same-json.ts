/** Whether two values are equal as JSON: keys in any order, undefined fields absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => sameJson(item ?? null, b[index] ?? null));
  }
  return hasAllOf(a as Fields, b as Fields) && hasNoMoreThan(a as Fields, b as Fields);
}

type Fields = { readonly [key: string]: unknown };

function hasAllOf(a: Fields, b: Fields): boolean {
  for (const key of Object.keys(b)) {
    const item = b[key];
    if (item !== undefined && !(Object.hasOwn(a, key) && sameJson(a[key], item))) return false;
  }
  return true;
}

function hasNoMoreThan(a: Fields, b: Fields): boolean {
  for (const key of Object.keys(a)) {
    if (a[key] !== undefined && !(Object.hasOwn(b, key) && b[key] !== undefined)) return false;
  }
  return true;
}
