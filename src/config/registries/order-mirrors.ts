/**
 * The order in which the mirrors of one source are tried when several sets name some: it keeps the order of every
 * set, as far as they do not contradict each other (a topological sort).
 *
 *     (b, c) and (a, b)  →  a, b, c          (a, b) and (b, a)  →  a, b
 *
 * The order of the sets does not matter. Mirrors without an order between them are sorted by name.
 */
import { compareBytes } from '../../base/json.ts';

/**
 * The source itself comes last and is then left out; where a set names it before the last place, it is treated like
 * any mirror.
 */
export function orderMirrors(source: string, sets: readonly (readonly string[])[]): readonly string[] {
  const followers = followersOf(source, sets);
  const waitingFor = new Map([...followers.keys()].map((name) => [name, 0]));
  const count = (name: string, change: number) => {
    const next = (waitingFor.get(name) ?? 0) + change;
    waitingFor.set(name, next);
    return next;
  };
  for (const names of followers.values()) for (const name of names) count(name, 1);

  const names = [...followers.keys()].sort(compareBytes);
  const ordered = new Set<string>();
  const queue = names.filter((name) => waitingFor.get(name) === 0);
  // A cycle is never broken at the source, whatever its name.
  const others = [...names.filter((name) => name !== source), source];
  let [taken, looked] = [0, 0];
  while (ordered.size < names.length) {
    // The sets contradict each other: break the cycle at the first name.
    const next = queue[taken++] ?? others[looked++] ?? '';
    if (ordered.has(next)) continue;
    ordered.add(next);
    const freed = [...(followers.get(next) ?? [])].filter((name) => count(name, -1) === 0);
    queue.push(...freed.sort(compareBytes));
  }
  const result = [...ordered];
  return result.at(-1) === source ? result.slice(0, -1) : result;
}

/** The successors of each mirror. The source follows the last mirror of every set that does not name it. */
function followersOf(
  source: string,
  sets: readonly (readonly string[])[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const followers = new Map<string, Set<string>>();
  const note = (name: string): Set<string> => {
    const known = followers.get(name) ?? new Set<string>();
    followers.set(name, known);
    return known;
  };
  for (const set of sets) {
    const distinct = [...new Set(set)];
    const chain = distinct.includes(source) ? distinct : [...distinct, source];
    for (const [index, name] of chain.entries()) {
      const next = chain[index + 1];
      if (next === undefined) note(name);
      else note(name).add(next);
    }
  }
  return followers;
}
