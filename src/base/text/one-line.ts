/**
 * A text in one line, for conditions, annotations and events: line breaks there are shown as `\\n`, or break tables.
 */
export function oneLine(text: string): string {
  if (!/[\r\n]/.test(text)) return text;
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('; ');
}
