/**
 * Names that only have to be a valid path segment: those of RBAC roles, budgets and policy parameters.
 */

/** `isPrefix`: a suffix will be added, so that `.` is valid. */
export function pathSegmentProblems(name: string, isPrefix: boolean): readonly string[] {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%']
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/** For RBAC names kube-apiserver does not distinguish generateName from name. */
export function rbacNameProblems(name: string): readonly string[] {
  return pathSegmentProblems(name, false);
}
