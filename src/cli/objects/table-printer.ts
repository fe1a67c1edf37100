/**
 * Prints tables like kubectl: columns are as wide as their widest cell plus three spaces, and never become narrower, so
 * that the rows of a watch stay aligned with the headings.
 */
import { compareBytes } from '../../base/json.ts';
import { printable } from '../../base/text/index.ts';
import type { ServerTable, TableColumn, TableRow } from './server-table.ts';

export type TableOptions = {
  /** Includes columns of a priority above 0. */
  readonly isWide: boolean;
  readonly withNamespace: boolean;
  readonly withLabels: boolean;
  readonly withHeadings: boolean;
  /** Prefix of each name, with a slash; undefined if there is only one kind. */
  readonly kindLabel: string | undefined;
};

const PADDING = 3;
/** Padding included. */
const MIN_WIDTH = 6;

export class TablePrinter {
  readonly #options: TableOptions;
  #columns: readonly TableColumn[] = [];
  #widths: readonly number[] = [];
  #hasHeadings = false;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  /** Prints the rows of all tables; headings come before the first row. */
  print(tables: readonly ServerTable[]): string {
    const lines: (readonly string[])[] = [];
    for (const { columns = this.#columns, rows } of tables) {
      this.#columns = columns;
      if (rows.length > 0 && !this.#hasHeadings && this.#options.withHeadings) {
        lines.push(this.#headings());
        this.#hasHeadings = true;
      }
      for (const row of rows) lines.push(this.#cells(row));
    }
    this.#widths = widened(this.#widths, lines);
    return lines.map((cells) => `${lineOf(cells, this.#widths)}\n`).join('');
  }

  #headings(): readonly string[] {
    const { isWide, withNamespace, withLabels } = this.#options;
    return [
      ...(withNamespace ? ['NAMESPACE'] : []),
      ...this.#columns
        .filter(({ priority }) => isWide || priority === 0)
        .map(({ name }) => printable(name.toUpperCase())),
      ...(withLabels ? ['LABELS'] : []),
    ];
  }

  #cells({ cells, namespace, labels }: TableRow): readonly string[] {
    const { isWide, withNamespace, withLabels, kindLabel } = this.#options;
    const shown = this.#columns.flatMap(({ isName, priority }, index) => {
      if (!isWide && priority !== 0) return [];
      const text = cellText(cells[index]);
      return [isName && kindLabel !== undefined ? `${kindLabel}/${text}` : text];
    });
    return [
      ...(withNamespace ? [printable(namespace)] : []),
      ...shown,
      ...(withLabels ? [labelsText(labels)] : []),
    ];
  }
}

/** Always one line: the first, followed by dots if there are more. */
function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
  const end = text.search(/[\f\n\r]/);
  return end < 0 ? printable(text) : `${printable(text.slice(0, end))}...`;
}

function labelsText(labels: TableRow['labels']): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => compareBytes(a, b));
  return pairs.length === 0 ? '<none>' : pairs.map(([key, value]) => printable(`${key}=${value}`)).join(',');
}

/** The last column is not padded. */
function widened(widths: readonly number[], lines: readonly (readonly string[])[]): readonly number[] {
  const wider = [...widths];
  for (const cells of lines) {
    for (const [index, cell] of cells.slice(0, -1).entries()) {
      wider[index] = Math.max(wider[index] ?? MIN_WIDTH, lengthOf(cell) + PADDING);
    }
  }
  return wider;
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, index) =>
      index === cells.length - 1 ? cell : cell + ' '.repeat((widths[index] ?? 0) - lengthOf(cell)),
    )
    .join('');
}

/** In code points, so that characters beyond the BMP count as one. */
function lengthOf(text: string): number {
  return [...text].length;
}
