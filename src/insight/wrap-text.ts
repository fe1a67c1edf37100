/**
 * Wraps text at spaces. Words longer than a line are split.
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

/** In code points. Double-width characters are not accounted for. */
export function lengthOf(text: string): number {
  return [...text].length;
}
