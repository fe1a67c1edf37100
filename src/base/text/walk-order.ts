/**
 * The order in which programs in Go walk through a folder: by name, and what is in a folder at the place of the folder itself.
 * `conf.d/a/z` comes before `conf.d/a-b`, which sorting by whole paths would turn around.
 */
export function inWalkOrder(paths: Iterable<string>): readonly string[] {
  return [...paths].sort((one, other) => compareNames(one.split('/'), other.split('/')));
}

function compareNames(one: readonly string[], other: readonly string[]): number {
  const index = one.findIndex((name, at) => name !== other[at]);
  if (index < 0) return one.length - other.length;
  const [name = '', instead = ''] = [one[index], other[index]];
  return name < instead ? -1 : 1;
}
