/**
 * What differs between two lists of packages, as `rpm-ostree status` sums it up: `19 upgraded, 1 removed`.
 */

/** Packages as NAME-VERSION-RELEASE.ARCH, or as a name. `undefined` where nothing differs. */
export function packageDiff(before: readonly string[], after: readonly string[]): string | undefined {
  const [old, now] = [byName(before), byName(after)];
  let [upgraded, downgraded] = [0, 0];
  for (const [name, version] of now) {
    const was = old.get(name);
    const order = was === undefined ? 0 : compareVersions(was, version);
    if (order < 0) upgraded++;
    if (order > 0) downgraded++;
  }
  const removed = [...old.keys()].filter((name) => !now.has(name)).length;
  const added = [...now.keys()].filter((name) => !old.has(name)).length;
  const counts: readonly [number, string][] = [
    [upgraded, 'upgraded'],
    [downgraded, 'downgraded'],
    [removed, 'removed'],
    [added, 'added'],
  ];
  const texts = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return texts.length === 0 ? undefined : texts.join(', ');
}

/** The name of a package, and its version with its release. */
export function parsePackage(text: string): { readonly name: string; readonly version: string } {
  const match = /^(?<name>.+)-(?<version>[^-]+-[^-]+)\.[^.-]+$/.exec(text);
  return { name: match?.groups?.name ?? text, version: match?.groups?.version ?? '' };
}

function byName(packages: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    packages.map((text) => {
      const { name, version } = parsePackage(text);
      return [name, version];
    }),
  );
}

/**
 * As rpm orders versions: parts of digits are numbers and newer than letters, `~` is before the end and `^` after it.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [one, other] = [left[index], right[index]];
    const order = rank(one) - rank(other) || compareParts(one ?? '', other ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

function partsOf(version: string): readonly string[] {
  return version.match(/\d+|[A-Za-z]+|~|\^/g) ?? [];
}

function rank(part: string | undefined): number {
  if (part === '~') return 0;
  if (part === undefined) return 1;
  if (part === '^') return 2;
  return /^\d/.test(part) ? 4 : 3;
}

function compareParts(a: string, b: string): number {
  if (!/^\d/.test(a) || !/^\d/.test(b)) return a === b ? 0 : a < b ? -1 : 1;
  const [one, other] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return one.length - other.length || (one === other ? 0 : one < other ? -1 : 1);
}
