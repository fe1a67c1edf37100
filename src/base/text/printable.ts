/**
 * Makes untrusted text safe for a terminal.
 */

/** Control characters, line and paragraph separators, and bidirectional formatting characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be shown.
const STEERING = /[\0-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The limit of a line, which may quote the content of a file. */
const MAX_LINE_CHARS = 2000;

/** Names come from untrusted files: control sequences are escaped. */
export function printable(text: string): string {
  return text.replaceAll(STEERING, (character) => {
    const code = character.charCodeAt(0);
    return code > 0xff
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : `\\x${code.toString(16).padStart(2, '0')}`;
  });
}

/** One printable line, whatever the text contains. */
export function printableLine(text: string): string {
  const line = printable(text.replaceAll(/\s*\n\s*/g, ' '));
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}… (cut)` : line;
}
