/**
 * systemd's presets: the default enablement of units.
 */

/** By file name: files in /etc take precedence over those in /usr/lib. */
type PresetFiles = ReadonlyMap<string, string>;

/** The first rule that matches decides, with files in order of their names; without a match the unit is enabled. */
export function isPresetEnabled(files: PresetFiles, unit: string): boolean {
  for (const file of [...files.keys()].sort()) {
    for (const line of (files.get(file) ?? '').split('\n')) {
      const [verb, pattern, ...instances] = line.trim().split(/\s+/);
      if ((verb !== 'enable' && verb !== 'disable') || pattern === undefined) continue;
      if (names(pattern, instances).some((name) => isMatch(name, unit))) return verb === 'enable';
    }
  }
  return true;
}

/** `enable foo@.service a b` applies to foo@a.service and foo@b.service. */
function names(pattern: string, instances: readonly string[]): readonly string[] {
  if (instances.length === 0) return [pattern];
  return instances.map((instance) => pattern.replace('@.', `@${instance}.`));
}

/** Shell patterns: `*`, `?`, `[abc]`. Backtracks to the last star only. */
function isMatch(pattern: string, name: string): boolean {
  let [at, place] = [0, 0];
  let [star, retry] = [-1, 0];
  while (place < name.length) {
    const one = pattern[at] === '*' ? undefined : matchOne(pattern, at, name.charAt(place));
    if (pattern[at] === '*') {
      [star, retry] = [at, place];
      at += 1;
    } else if (one !== undefined) {
      at = one;
      place += 1;
    } else if (star >= 0) {
      retry += 1;
      [at, place] = [star + 1, retry];
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** The next position in the pattern if this character matches. */
function matchOne(pattern: string, at: number, character: string): number | undefined {
  const token = pattern[at];
  if (token === undefined) return undefined;
  if (token === '?') return at + 1;
  const end = token === '[' ? pattern.indexOf(']', at + 2) : -1;
  if (end < 0) return token === character ? at + 1 : undefined;
  const set = pattern.slice(at + 1, end);
  const isNegated = set.startsWith('!') || set.startsWith('^');
  const isIn = isInSet(isNegated ? set.slice(1) : set, character);
  return isIn === isNegated ? undefined : end + 1;
}

function isInSet(set: string, character: string): boolean {
  for (let index = 0; index < set.length; index++) {
    const last = set[index + 1] === '-' ? set[index + 2] : undefined;
    const first = set.charAt(index);
    if (last === undefined ? first === character : first <= character && character <= last) return true;
    if (last !== undefined) index += 2;
  }
  return false;
}
