/**
 * Texts broken into lines, at spaces where there are any. What is longer than a line is broken where the line ends, so
 * that nothing is lost.
 */
export function wrapText(text: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((part) => pieces(part, room))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (lengthOf(longer) <= room) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

function pieces(word: string, room: number): readonly string[] {
  const characters = [...word];
  const parts: string[] = [];
  for (let start = 0; start < characters.length; start += room) {
    parts.push(characters.slice(start, start + room).join(''));
  }
  return parts;
}

/** In characters. Some take two columns, but names and messages hardly ever have them. */
export function lengthOf(text: string): number {
  return [...text].length;
}
