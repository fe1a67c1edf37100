/**
 * Compile errors as the server formats them: a message, the source line, and a caret below the position.
 */

export type Issue = { readonly offset: number; readonly message: string };

export function formatIssues(source: string, issues: readonly Issue[]): string {
  return [...issues]
    .sort((left, right) => left.offset - right.offset)
    .map((issue) => formatIssue(source, issue))
    .join('\n');
}

function formatIssue(source: string, { offset, message }: Issue): string {
  const before = source.slice(0, offset).split('\n');
  const line = before.length;
  const passed = [...(before.at(-1) ?? '')];
  const column = passed.length;
  const snippet = (source.split('\n')[line - 1] ?? '').replaceAll('\t', ' ');
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  const [marked = ''] = [...source.slice(offset)];
  const mark = isWide(marked) ? '＾' : '^';
  const dots = passed.map((character) => (isWide(character) ? '．' : '.')).join('');
  return `${head}\n | ${snippet}\n | ${dots}${mark}`;
}

/** Below wide characters the server prints a wide caret. */
function isWide(character: string): boolean {
  return character > '\u007f';
}
