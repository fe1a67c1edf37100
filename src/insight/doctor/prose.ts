/**
 * Texts of findings: bounded, in one line, without control characters and without what looks like a credential. Daemons and registries
 * write some of them.
 */

import { oneLine } from '../messages.ts';
import { withoutCredentials } from '../redaction/credentials.ts';
import { shortened } from '../shortened.ts';

const MAX_CHARS = 600;

export function inOneLine(text: string): string {
  return shortened(withoutCredentials(oneLine(text)), MAX_CHARS);
}

const MAX_NAMES = 3;

/** `a`, `a and b`, `a, b, c and 4 more`. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES);
  const more = names.length - shown.length;
  const items = more > 0 ? [...shown, `${more} more`] : shown;
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** `1 node waits`, `3 nodes wait`. */
export function nodesDo(count: number, verb: string, verbOfOne = `${verb}s`): string {
  return count === 1 ? `1 node ${verbOfOne}` : `${count} nodes ${verb}`;
}
