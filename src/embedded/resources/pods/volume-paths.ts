/**
 * Paths within volumes, which must not lead out of them.
 */
import type { Problem } from '../../../base/errors.ts';
import { invalidText } from '../field-problems.ts';

/** A path below the place, without a step up. */
export function descendingPathProblems(path: string, target: string): readonly Problem[] {
  return [
    ...(target.startsWith('/') ? [invalidText(path, target, 'must be a relative path')] : []),
    ...backstepProblems(path, target),
  ];
}

/** The same, and its first part is none of the volume's own: those begin with two dots. */
export function fileNamePathProblems(path: string, target: string): readonly Problem[] {
  const problems = descendingPathProblems(path, target);
  const isReserved = target.startsWith('..') && !target.startsWith('../');
  return isReserved ? [...problems, invalidText(path, target, "must not start with '..'")] : problems;
}

export function backstepProblems(path: string, target: string): readonly Problem[] {
  return target.split('/').includes('..') ? [invalidText(path, target, "must not contain '..'")] : [];
}
