/**
 * Paths within volumes, which must not escape from them.
 */
import type { Problem } from '../../../base/errors.ts';
import { invalidText } from '../field-problems.ts';

/** A relative path without `..`. */
export function descendingPathProblems(path: string, target: string): readonly Problem[] {
  return [
    ...(target.startsWith('/') ? [invalidText(path, target, 'must be a relative path')] : []),
    ...decreaseProblems(path, target),
  ];
}

/** The same, and it must not start with `..`, which is reserved for the files of the volume plugin. */
export function fileNamePathProblems(path: string, target: string): readonly Problem[] {
  const problems = descendingPathProblems(path, target);
  const isReserved = target.startsWith('..') && !target.startsWith('../');
  return isReserved ? [...problems, invalidText(path, target, "must not start with '..'")] : problems;
}

export function decreaseProblems(path: string, target: string): readonly Problem[] {
  return target.split('/').includes('..') ? [invalidText(path, target, "must not contain '..'")] : [];
}
