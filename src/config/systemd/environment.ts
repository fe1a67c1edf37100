/**
 * Variables of a service: files of assignments (`EnvironmentFile=`), and assignments in the unit (`Environment=`).
 */
import { splitWords } from './words.ts';

/** As systemd reads such a file: one assignment per line, quotes may span lines, and a backslash joins them. */
export function parseEnvironmentFile(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    const assignment = matchAt(ASSIGNMENT, text, at) ?? matchAt(LINE, text, at);
    if (assignment === null || assignment[0] === '') break;
    at += assignment[0].length;
    const name = assignment.groups?.name?.trim();
    if (name === undefined) continue;
    const { value, end } = readValue(text, at);
    at = end;
    if (NAME.test(name)) found.set(name, value);
  }
  return found;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ASSIGNMENT = /\s*(?<name>[^#;\s=][^=\n\r]*)=/y;
/** A comment, or what is no assignment. A backslash at the end of a comment has the next line belong to it. */
const LINE = /\s*(?:[#;](?:\\[\s\S]|[^\n\r])*|[^\n\r]*)[\n\r]*/y;
/** Characters that a backslash between double quotes is for. */
const ESCAPED_IN_QUOTES = '"\\`$';

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function readValue(text: string, start: number): { readonly value: string; readonly end: number } {
  let value = '';
  // Spaces at the end of what is not quoted do not count.
  let kept = 0;
  let state: 'before' | 'plain' | 'single' | 'double' = 'before';
  let at = start;
  for (; at < text.length; at++) {
    const char = text.charAt(at);
    const isLineEnd = char === '\n' || char === '\r';
    if (state === 'single' || state === 'double') {
      const quote = state === 'single' ? "'" : '"';
      if (char === quote) state = 'before';
      else if (char === '\\' && state === 'double') {
        const next = text.charAt(++at);
        if (next !== '\n') value += ESCAPED_IN_QUOTES.includes(next) ? next : `\\${next}`;
      } else value += char;
      kept = value.length;
    } else if (isLineEnd) break;
    else if (char === '\\') {
      state = 'plain';
      const next = text.charAt(++at);
      if (next !== '\n' && next !== '\r') value += next;
      kept = value.length;
    } else if (state === 'before' && (char === "'" || char === '"')) {
      state = char === '"' ? 'double' : 'single';
    } else if (/\s/.test(char)) {
      if (state === 'plain') value += char;
    } else {
      state = 'plain';
      value += char;
      kept = value.length;
    }
  }
  return { value: value.slice(0, kept), end: at };
}

/** The value of one `Environment=`; a line whose quotes do not match is passed over, as systemd does. */
export function parseEnvironment(line: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const word of splitWords(line) ?? []) {
    const split = word.indexOf('=');
    const name = word.slice(0, split);
    if (split > 0 && NAME.test(name)) found.set(name, word.slice(split + 1));
  }
  return found;
}
