/**
 * A rollout as a chart: a row for each node, over time.
 *
 *               0s        5m        10m       15m
 *     worker-0  fddRRRRRRRRv
 *     worker-1  ............ddRRRRRRRRRv
 */
import { humanDuration } from '../../base/text/index.ts';
import type { Paint, Style } from '../../insight/index.ts';
import type { NodeTimeline, RolloutPhase } from '../../simulation/index.ts';

type ChartOptions = {
  /** The end of the last column. */
  readonly lengthMs: number;
  readonly width: number;
  readonly maxRows: number;
  readonly paint: Paint;
};

type Cell = { readonly letter: string; readonly style: Style; readonly meaning: string };

/** Letters, so that nothing depends on colours. */
const CELLS: { readonly [phase in RolloutPhase | 'wait']: Cell } = {
  wait: { letter: '.', style: 'dim', meaning: 'waits' },
  prepare: { letter: 'f', style: 'busy', meaning: 'fetches and checks' },
  drain: { letter: 'd', style: 'held', meaning: 'drains' },
  apply: { letter: 'w', style: 'busy', meaning: 'writes' },
  reboot: { letter: 'R', style: 'bold', meaning: 'reboots' },
  finish: { letter: 'v', style: 'good', meaning: 'verifies' },
  fail: { letter: '!', style: 'bad', meaning: 'fails' },
};
const PHASES = ['wait', 'prepare', 'drain', 'apply', 'reboot', 'finish', 'fail'] as const;

const MIN_CELLS = 10;
const MAX_CELLS = 120;
const GAP = '  ';

export function rolloutChart(nodes: readonly NodeTimeline[], options: ChartOptions): readonly string[] {
  const { width, lengthMs, maxRows, paint } = options;
  const rows = nodes.slice(0, maxRows);
  // Those that are not done are what the chart is looked at for.
  const late = nodes.slice(maxRows).filter(({ doneMs }) => doneMs === undefined);
  const all = [...rows, ...late.slice(0, maxRows)];
  const longest = Math.max(0, ...all.map(({ name }) => name.length));
  const nameWidth = Math.min(longest, Math.max(8, Math.floor(width / 3)));
  const cells = Math.min(MAX_CELLS, Math.max(MIN_CELLS, width - nameWidth - GAP.length));
  const cellMs = Math.max(1, lengthMs) / cells;
  const hidden = nodes.length - all.length;
  const drawn = all.map((node) => ({ name: node.name, phases: cellPhases(node, { cells, cellMs }) }));
  const used = new Set(drawn.flatMap(({ phases }) => phases));
  return [
    paint('dim', `${' '.repeat(nameWidth)}${GAP}${axis(cells, cellMs)}`),
    ...drawn.map(({ name, phases }) => `${fitted(name, nameWidth)}${GAP}${row(phases, paint)}`),
    ...(hidden > 0 ? [`and ${hidden} more nodes`] : []),
    ...legend(
      PHASES.filter((phase) => used.has(phase)),
      { width, paint },
    ),
  ];
}

type Share = { readonly phase: RolloutPhase | 'wait'; readonly ms: number };

type Grid = { readonly cells: number; readonly cellMs: number };

type CellPhase = RolloutPhase | 'wait' | undefined;

/** Of each cell what takes most of its time; undefined once it is done. */
function cellPhases({ sentMs, doneMs, phases }: NodeTimeline, { cells, cellMs }: Grid): readonly CellPhase[] {
  return Array.from({ length: cells }, (_, index) => {
    const [fromMs, toMs] = [index * cellMs, (index + 1) * cellMs];
    if (doneMs !== undefined && fromMs >= doneMs) return undefined;
    const shares: Share[] = [{ phase: 'wait', ms: Math.min(toMs, sentMs) - fromMs }];
    for (const { phase, ...span } of phases) {
      shares.push({ phase, ms: Math.min(toMs, span.toMs) - Math.max(fromMs, span.fromMs) });
    }
    const most = shares.reduce((a, b) => (b.ms > a.ms ? b : a));
    return most.ms > 0 ? most.phase : undefined;
  });
}

/** Equal neighbours are painted together: escape codes are longer than what they paint. */
function row(phases: readonly CellPhase[], paint: Paint): string {
  let text = '';
  for (let index = 0; index < phases.length; ) {
    const phase = phases[index];
    let end = index + 1;
    while (end < phases.length && phases[end] === phase) end += 1;
    text += phase === undefined ? ' '.repeat(end - index) : painted(phase, end - index, paint);
    index = end;
  }
  return text.trimEnd();
}

function painted(phase: RolloutPhase | 'wait', count: number, paint: Paint): string {
  const { letter, style } = CELLS[phase];
  return paint(style, letter.repeat(count));
}

function fitted(name: string, width: number): string {
  return name.length <= width ? name.padEnd(width) : `${name.slice(0, width - 1)}~`;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Steps that people count in. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 96, 168].map((count) => count * HOUR),
];
/** Between two marks, so that they do not touch. */
const MIN_MARK_CELLS = 9;

function axis(cells: number, cellMs: number): string {
  const stepMs = STEPS_MS.find((step) => step / cellMs >= MIN_MARK_CELLS) ?? 1000 * HOUR;
  let line = '';
  for (let atMs = 0; atMs / cellMs < cells; atMs += stepMs) {
    const mark = humanDuration(atMs);
    const column = Math.round(atMs / cellMs);
    if (column + mark.length <= cells) line = `${line.padEnd(column)}${mark}`;
  }
  return line;
}

type LegendOptions = Pick<ChartOptions, 'width' | 'paint'>;

function legend(
  phases: readonly (RolloutPhase | 'wait')[],
  { width, paint }: LegendOptions,
): readonly string[] {
  const lines: { text: string; length: number }[] = [];
  for (const phase of phases) {
    const { letter, style, meaning } = CELLS[phase];
    const [text, length] = [`${paint(style, letter)} ${meaning}`, meaning.length + 2];
    const last = lines.at(-1);
    if (last === undefined || last.length + GAP.length + length > width) lines.push({ text, length });
    else {
      last.text += `${GAP}${text}`;
      last.length += GAP.length + length;
    }
  }
  return lines.map(({ text }) => text);
}
