/**
 * The syntax of unit files, as far as Ignition checks it: sections, options, comments, and line continuations. The
 * messages are Ignition's, with the line added.
 */

import { byteLength } from '../../base/json.ts';

type UnitFile =
  /** The sections that hold at least one option. */
  | { readonly kind: 'sections'; readonly names: ReadonlySet<string> }
  | { readonly kind: 'broken'; readonly message: string };

/** Ignition rejects longer lines. */
const MAX_LINE_BYTES = 2047;

export function parseUnitFile(contents: string): UnitFile {
  const names = new Set<string>();
  const lines = contents.split('\n');
  const long = lines.findIndex((line) => byteLength(line) > MAX_LINE_BYTES);
  if (long >= 0) return broken('line too long (max 2048 bytes)', long + 1);
  let section: string | undefined;
  for (let index = 0; index < lines.length; index++) {
    const line = (lines[index] ?? '').trim();
    const number = index + 1;
    if (line === '') continue;
    if (line.startsWith('#') || line.startsWith(';')) {
      index = lastLineOf(lines, index, /\\ ?$/);
    } else if (line.startsWith('[')) {
      const end = line.indexOf(']');
      if (end < 0) return broken('unable to find end of section', number);
      const garbage = line.slice(end + 1).trim();
      if (garbage !== '')
        return broken(`found garbage after section name : ${JSON.stringify(garbage)}`, number);
      section = line.slice(1, end);
    } else if (section !== undefined) {
      // Lines before the first section are skipped, as Ignition does.
      if (!line.includes('=')) {
        const isLast = index === lines.length - 1;
        return broken(isLast ? 'EOF' : 'unexpected newline encountered while parsing option name', number);
      }
      names.add(section);
      index = lastLineOf(lines, index, /\\$/);
    }
  }
  return { kind: 'sections', names };
}

/** The last line of the value or comment that begins here. */
function lastLineOf(lines: readonly string[], first: number, goesOn: RegExp): number {
  let index = first;
  while (goesOn.test(lines[index] ?? '') && index + 1 < lines.length) index++;
  return index;
}

function broken(message: string, line: number): UnitFile {
  return { kind: 'broken', message: `${message} (line ${line})` };
}
