import { expect, it } from 'vitest';
import { LiveScreen } from './live-screen.ts';

/** What a terminal shows of what is written: enough of one for these codes. */
class Terminal {
  rows: string[] = [''];
  row = 0;
  columns: number;
  isWrapping = true;

  constructor(columns: number) {
    this.columns = columns;
  }

  write(text: string): void {
    for (const [token] of text.matchAll(/\p{Cc}\[\??[\d;]*[A-Za-z]|\P{Cc}|[\r\n]/gu)) this.#take(token);
  }

  #take(token: string): void {
    if (token === '\n') this.row++;
    else if (token === '\x1b[K') this.rows[this.row] = this.#line();
    else if (token === '\x1b[J') this.rows.length = this.row;
    else if (token.endsWith('A')) this.row -= Number(token.slice(2, -1));
    else if (token === '\x1b[?7l' || token === '\x1b[?7h') this.isWrapping = token.endsWith('h');
    else if (!token.startsWith('\x1b') && token !== '\r') this.#pending += token;
    if (token === '\n') this.#pending = '';
  }

  #pending = '';

  #line(): string {
    return [...this.#pending].slice(0, this.columns).join('');
  }
}

function drawing(columns = 20, rows = 10) {
  const terminal = new Terminal(columns);
  const screen = new LiveScreen((text) => terminal.write(text));
  return {
    terminal,
    draw: (lines: readonly string[]) => screen.draw(lines, { columns: terminal.columns, rows }),
  };
}

it('LiveScreen redraws in place with more or fewer lines', () => {
  const { terminal, draw } = drawing();
  draw(['one', 'two']);
  expect(terminal.rows).toEqual(['one', 'two']);
  draw(['one', 'three', 'four']);
  expect(terminal.rows).toEqual(['one', 'three', 'four']);
  draw(['five']);
  expect(terminal.rows).toEqual(['five']);
  expect(terminal.row).toBe(1);
});

it('LiveScreen disables line wrapping only while drawing', () => {
  const { terminal, draw } = drawing(4);
  draw(['longer', 'b']);
  draw(['longer', 'c']);
  expect(terminal.rows).toEqual(['long', 'c']);
  expect(terminal.isWrapping).toBe(true);
});

it('LiveScreen shows at most as many lines as fit the terminal', () => {
  const { terminal, draw } = drawing(60, 4);
  const lines = ['1', '2', '3', '4', '5'];
  draw(lines);
  draw(lines);
  expect(terminal.rows).toEqual(['1', '2', '(3 more lines: enlarge the terminal to see them)']);
});

it('LiveScreen accounts for lines wrapped by a narrower terminal', () => {
  const { terminal, draw } = drawing(20);
  draw(['\x1b[1m123456789012\x1b[0m', 'b']);
  terminal.columns = 10;
  // The window has made three rows of two lines.
  terminal.rows = ['1234567890', '12', 'b'];
  terminal.row = 3;
  draw(['c']);
  expect(terminal.rows).toEqual(['c']);
});
