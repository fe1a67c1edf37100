// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be shown.
const control = /[\0-\x1f\x7f-\x9f]/g;

/** Names come from files that others wrote: what could steer a terminal is shown as an escape. */
export function printable(text: string): string {
  return text.replaceAll(
    control,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
