/**
 * Resource versions, as far as they can be compared: those of one resource on one server are whole numbers that grow.
 * Where a server has others, nothing is concluded from them.
 */

const NUMBER = /^(0|[1-9]\d*)$/;

/** Whether `a` is surely older than `b`. */
export function isOlder(a: string, b: string): boolean {
  if (!NUMBER.test(a) || !NUMBER.test(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}
