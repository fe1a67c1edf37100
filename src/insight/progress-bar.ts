/**
 * The progress of a pool as a bar: updated, updating, degraded and waiting nodes.
 *
 *     [##########>>>>>!!!!!..........]
 */
import type { Paint, Style } from './paint.ts';
import type { PoolCounts } from './pool-summary.ts';

type BarOptions = {
  /** Number of cells, without the ends. */
  readonly size: number;
  /** Terminals with colours are assumed to have block characters. */
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
  { count: ({ waiting, withoutDaemon }) => waiting + withoutDaemon, plain: '.', fine: '░', style: 'dim' },
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
 * Cells in proportion to the counts. Every non-zero count gets at least one cell, so that one node of thousands is visible,
 * at the expense of the largest parts.
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
    const index = largestDeviation(counts, cells, { size, total, isShort: spare > 0 });
    cells[index] = (cells[index] ?? 0) + Math.sign(spare);
  }
  return cells;
}

type Distribution = { readonly size: number; readonly total: number; readonly isShort: boolean };

/** The part that deviates most from its share. */
function largestDeviation(
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
