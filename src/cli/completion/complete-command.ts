/**
 * `millwright __complete WORD…`: what may stand in the place of the last word, for the scripts of `millwright completion` and for
 * kubectl, which asks the program `kubectl_complete-millwright`. The output is what kubectl expects of its plugins: a line for each
 * candidate, with its description after a tab, then a line with a directive.
 */
import type { Command } from 'commander';
import { printableLine } from '../../base/text/index.ts';
import { SUCCESS } from '../exit-code.ts';
import type { Ports } from '../ports.ts';
import { type Candidate, type Completion, complete } from './complete.ts';
import { objectNames } from './names.ts';

/** Of kubectl's library for commands: files, nothing else, folders. */
const DIRECTIVES = { files: 0, none: 4, folders: 16 } as const;

/** Returns the exit code. An error would only disturb the person who types: then there is nothing to complete. */
export async function completeCommand(
  program: Command,
  words: readonly string[],
  ports: Ports,
): Promise<number> {
  const completion = complete(program, words);
  const candidates = [...completion.candidates, ...(await named(completion, words.at(-1) ?? '', ports))];
  const lines = candidates.map(({ value, description = '' }) =>
    lineOf(`${completion.before}${value}`, description),
  );
  const directive = DIRECTIVES[candidates.length > 0 ? 'none' : completion.paths];
  ports.stdout([...lines, `:${directive}`].map((line) => `${line}\n`).join(''));
  return SUCCESS;
}

async function named(completion: Completion, last: string, ports: Ports): Promise<readonly Candidate[]> {
  const { names, cluster, before } = completion;
  if (names.length === 0) return [];
  const start = last.slice(before.length);
  const found = await objectNames(names, cluster, ports);
  return found.filter((name) => name.startsWith(start)).map((value) => ({ value }));
}

/** Names come from a cluster: what would disturb a terminal is escaped. */
function lineOf(value: string, description: string): string {
  return description === '' ? printableLine(value) : `${printableLine(value)}\t${printableLine(description)}`;
}
