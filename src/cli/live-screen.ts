/**
 * Lines on a terminal that are redrawn in place, without the alternate screen: earlier output stays above, and the last
 * drawing remains at the end.
 */
type TerminalSize = { readonly columns: number; readonly rows: number };

// The terminal truncates long lines instead of wrapping them, but only while drawing.
const NO_WRAP = '\x1b[?7l';
const WRAP = '\x1b[?7h';
const CLEAR_REST_OF_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

export class LiveScreen {
  readonly #write: (text: string) => void;
  /** Widths of the lines on the screen. */
  #drawn: readonly number[] = [];

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** A single write, to avoid flicker. */
  draw(lines: readonly string[], size: TerminalSize): void {
    const shown = fitting(lines, size);
    const up = this.#height(size);
    const back = up === 0 ? '' : `\r\x1b[${up}A`;
    const text = shown.map((line) => `${line}${CLEAR_REST_OF_LINE}\n`).join('');
    this.#write(`${NO_WRAP}${back}${text}${CLEAR_BELOW}${WRAP}`);
    this.#drawn = shown.map((line) => Math.min(widthOf(line), size.columns));
  }

  /** A terminal that became narrower has wrapped lines that no longer fit. */
  #height({ columns, rows }: TerminalSize): number {
    const heights = this.#drawn.map((width) => Math.max(1, Math.ceil(width / Math.max(1, columns))));
    const height = heights.reduce((sum, one) => sum + one, 0);
    return Math.min(height, Math.max(0, rows - 1));
  }
}

/** Rows that have scrolled out cannot be redrawn, so there are never more lines than rows. */
function fitting(lines: readonly string[], { rows }: TerminalSize): readonly string[] {
  const room = Math.max(1, rows - 1);
  if (lines.length <= room) return lines;
  const kept = lines.slice(0, room - 1);
  return [...kept, `(${lines.length - kept.length} more lines: enlarge the terminal to see them)`];
}

/** Without colour escape codes. */
function widthOf(line: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes begin with it.
  return [...line.replaceAll(/\x1b\[[0-9;]*m/g, '')].length;
}
