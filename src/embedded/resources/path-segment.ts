/**
 * Names that only have to fit into a path: those of roles, budgets and whatever parametrises a policy.
 */

/** `isPrefix`: something will be added, so that a name that is no good alone may still become one. */
export function pathSegmentProblems(name: string, isPrefix: boolean): readonly string[] {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%']
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/** Names of roles: the server does not tell beginnings of names from whole ones. */
export function rbacNameProblems(name: string): readonly string[] {
  return pathSegmentProblems(name, false);
}
