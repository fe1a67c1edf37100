/**
 * Texts of others, made harmless for a terminal.
 */

/** Control characters, line and paragraph separators, and marks that turn the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be shown.
const STEERING = /[\0-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A line may quote what stands in a file; nobody reads more than this of it. */
const MAX_LINE_CHARS = 2000;

/** Names come from files that others wrote: what could steer a terminal is shown as an escape. */
export function printable(text: string): string {
  return text.replaceAll(STEERING, (character) => {
    const code = character.charCodeAt(0);
    return code > 0xff
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : `\\x${code.toString(16).padStart(2, '0')}`;
  });
}

/** One line for people, whatever stands in it. */
export function printableLine(text: string): string {
  const line = printable(text.replaceAll(/\s*\n\s*/g, ' '));
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}… (cut)` : line;
}
