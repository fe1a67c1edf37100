/**
 * How far a pool has come, as a bar: what is updated, what moves, what fails, what waits.
 *
 *     [##########>>>>>!!!!!..........]
 */
import type { Paint, Style } from './paint.ts';
import type { PoolCounts } from './pool-overview.ts';

type BarOptions = {
  /** How many cells it has, without its ends. */
  readonly size: number;
  /** A terminal that shows colours also has the characters of a finer bar. */
  readonly hasColors: boolean;
  readonly paint: Paint;
};

type Part = {
  readonly count: (counts: PoolCounts) => number;
  readonly plain: string;
  readonly fine: string;
  readonly style: Style;
};

const PARTS: readonly Part[] = [
  { count: ({ updated }) => updated, plain: '#', fine: '█', style: 'good' },
  { count: ({ moving }) => moving, plain: '>', fine: '▓', style: 'busy' },
  { count: ({ degraded }) => degraded, plain: '!', fine: '▒', style: 'bad' },
  { count: ({ waiting }) => waiting, plain: '.', fine: '░', style: 'dim' },
];

export function progressBar(counts: PoolCounts, { size, hasColors, paint }: BarOptions): string {
  const cells = shares(
    PARTS.map(({ count }) => count(counts)),
    size,
  );
  const parts = PARTS.map(({ plain, fine, style }, index) =>
    paint(style, (hasColors ? fine : plain).repeat(cells[index] ?? 0)),
  );
  const rest = ' '.repeat(size - cells.reduce((sum, cell) => sum + cell, 0));
  const bar = `${parts.join('')}${rest}`;
  return hasColors ? bar : `[${bar}]`;
}

/**
 * Cells in proportion to the counts. Whatever there is gets one cell at least, so that a single node of thousands is seen;
 * the largest parts give way.
 */
function shares(counts: readonly number[], size: number): readonly number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return counts.map(() => 0);
  const cells = counts.map((count) => (count === 0 ? 0 : Math.max(1, Math.floor((count * size) / total))));
  for (
    let spare = size - cells.reduce((sum, cell) => sum + cell, 0);
    spare !== 0;
    spare -= Math.sign(spare)
  ) {
    const index = mostOff(counts, cells, { size, total, isShort: spare > 0 });
    cells[index] = (cells[index] ?? 0) + Math.sign(spare);
  }
  return cells;
}

type Distribution = { readonly size: number; readonly total: number; readonly isShort: boolean };

/** Which part has the most too few cells, or the most too many. */
function mostOff(
  counts: readonly number[],
  cells: readonly number[],
  { size, total, isShort }: Distribution,
): number {
  const lacks = counts.map((count, index) => (count * size) / total - (cells[index] ?? 0));
  const wanted = lacks.map((lack, index) => {
    if (counts[index] === 0) return Number.NEGATIVE_INFINITY;
    return isShort ? lack : (cells[index] ?? 0);
  });
  return wanted.indexOf(Math.max(...wanted));
}
