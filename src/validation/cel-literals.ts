/**
 * Mistakes in the literals of a rule that can be seen without running it.
 */
import { compileRegex } from './regex.ts';
import { parseDateTime, parseGoDuration } from './times.ts';

/** What is wrong with a literal as the argument of this function, if anything is. */
export function literalIssue(name: string, literal: string): string | undefined {
  switch (name) {
    case 'matches':
      return compileRegex(literal).kind === 'bad' ? 'invalid matches argument' : undefined;
    case 'duration':
      return parseGoDuration(literal) === undefined ? 'invalid duration argument' : undefined;
    case 'timestamp':
      return parseDateTime(literal) === undefined ? 'invalid timestamp argument' : undefined;
    default:
      return undefined;
  }
}
