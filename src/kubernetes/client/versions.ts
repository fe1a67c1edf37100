/**
 * Comparison of resource versions: those of one resource on one server are increasing whole numbers. Others are not
 * comparable.
 */

const NUMBER = /^(0|[1-9]\d*)$/;

/** Whether `a` is known to be older than `b`. */
export function isOlder(a: string, b: string): boolean {
  if (!NUMBER.test(a) || !NUMBER.test(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}
