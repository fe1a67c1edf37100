/**
 * Lines on a terminal that are drawn again and again in the same place, without taking the screen away from what was there:
 * what scrolled by before stays above, and the last drawing stays when it is over.
 */
type TerminalSize = { readonly columns: number; readonly rows: number };

// Lines that are too long are cut by the terminal instead of taking two rows, and only while we draw.
const NO_WRAP = '\x1b[?7l';
const WRAP = '\x1b[?7h';
const CLEAR_REST_OF_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

export class LiveScreen {
  readonly #write: (text: string) => void;
  /** How wide the lines are that stand there now. */
  #drawn: readonly number[] = [];

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** One write, so that nobody sees half a picture. */
  draw(lines: readonly string[], size: TerminalSize): void {
    const shown = fitting(lines, size);
    const up = this.#height(size);
    const back = up === 0 ? '' : `\r\x1b[${up}A`;
    const text = shown.map((line) => `${line}${CLEAR_REST_OF_LINE}\n`).join('');
    this.#write(`${NO_WRAP}${back}${text}${CLEAR_BELOW}${WRAP}`);
    this.#drawn = shown.map((line) => Math.min(widthOf(line), size.columns));
  }

  /** A window that was made narrower has broken the lines that no longer fit. It never shows more rows than it has. */
  #height({ columns, rows }: TerminalSize): number {
    const heights = this.#drawn.map((width) => Math.max(1, Math.ceil(width / Math.max(1, columns))));
    const height = heights.reduce((sum, one) => sum + one, 0);
    return Math.min(height, Math.max(0, rows - 1));
  }
}

/** What is above the first row cannot be drawn again, so there are never more lines than rows. */
function fitting(lines: readonly string[], { rows }: TerminalSize): readonly string[] {
  const room = Math.max(1, rows - 1);
  if (lines.length <= room) return lines;
  const kept = lines.slice(0, room - 1);
  return [...kept, `(${lines.length - kept.length} more lines: a higher window shows them)`];
}

/** Without the escape codes for colours. */
function widthOf(line: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how escape codes begin.
  return [...line.replaceAll(/\x1b\[[0-9;]*m/g, '')].length;
}
