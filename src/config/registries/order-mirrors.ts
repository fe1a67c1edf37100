/**
 * In which order mirrors of one source are tried, where several sets name some: an order in which every set finds its own,
 * as far as they do not contradict one another.
 *
 *     (b, c) and (a, b)  →  a, b, c          (a, b) and (b, a)  →  a, b
 *
 * The order of the sets never matters. Names that nothing orders are ordered by themselves.
 */
import { compareBytes } from '../../base/json.ts';

/** The source itself comes last of all and is then left out; where it is named before the last, it is a mirror as others. */
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
  // Whatever its name, the source is not what a way out of a circle begins with.
  const others = [...names.filter((name) => name !== source), source];
  let [taken, looked] = [0, 0];
  while (ordered.size < names.length) {
    // Where each waits for another the sets contradict one another: the first by name goes first.
    const next = queue[taken++] ?? others[looked++] ?? '';
    if (ordered.has(next)) continue;
    ordered.add(next);
    const freed = [...(followers.get(next) ?? [])].filter((name) => count(name, -1) === 0);
    queue.push(...freed.sort(compareBytes));
  }
  const result = [...ordered];
  return result.at(-1) === source ? result.slice(0, -1) : result;
}

/** Who is to be tried after whom. The source follows the last of every set that does not name it. */
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
