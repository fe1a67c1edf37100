/**
 * The fleet status as text: a bar for each pool, then updating, blocked and degraded nodes with reasons, and hints.
 *
 *     worker  [##########>>>>>>>>>>..........]  1/3  updating for 2m10s: DrainBlocked
 *       rendered-worker-ceedbbb3b533372a501c2410fa554c89
 *       worker-1  draining for 1m12s
 *                 blocked: pod shop/web-0 is protected by PodDisruptionBudget web
 *       1 node waiting
 */
import { absentText } from './absent-components.ts';
import { failingText } from './failing-controllers.ts';
import type { FleetStatus } from './fleet-status.ts';
import { hintsOf } from './hints.ts';
import { nodesText, oneLine, problemText } from './messages.ts';
import { nodeRows, type Row } from './node-rows.ts';
import { type Paint, paintWith, type Style } from './paint.ts';
import type { PoolState, PoolSummary } from './pool-summary.ts';
import { progressBar } from './progress-bar.ts';
import { shortened } from './shortened.ts';
import { elapsed } from './timestamp.ts';
import type { UnassignedNode } from './unassigned-nodes.ts';
import { lengthOf, wrapText } from './wrap-text.ts';

type StatusTextOptions = {
  readonly width: number;
  /** Without colours the text is plain ASCII without escape codes. */
  readonly hasColors: boolean;
};

const MIN_WIDTH = 40;
const MAX_BAR = 30;
const MIN_BAR = 8;
/** The ends of the bar and the spacing around it. */
const BESIDE_BAR = 8;
const INDENT = '  ';
/** Messages of daemons may be long; the hints show where to find the rest. */
const MAX_MESSAGE_CHARS = 400;

export function statusText(status: FleetStatus, options: StatusTextOptions): readonly string[] {
  const canvas: Canvas = {
    width: Math.max(MIN_WIDTH, options.width),
    hasColors: options.hasColors,
    paint: paintWith(options.hasColors),
  };
  const { pools, strays: unassigned, now, absent, failing } = status;
  const heads = headLines(pools, canvas, now);
  const sections = [
    ...(absent === undefined ? [] : [alertLines(absentText(absent, now), canvas)]),
    ...(failing === undefined ? [] : [alertLines(failingText(failing, now), canvas)]),
    ...pools.map((pool, index) => [heads[index] ?? '', ...detailLines(pool, canvas, now)]),
    ...(unassigned.length === 0 ? [] : [unassignedLines(unassigned, canvas)]),
    ...(pools.length === 0 ? [['no pools']] : []),
  ];
  const hints = hintsOf(status);
  return [...sections.flat(), ...(hints.length === 0 ? [] : ['', ...hintLines(hints, canvas)])];
}

type Canvas = { readonly width: number; readonly hasColors: boolean; readonly paint: Paint };

const STATE_STYLES: { readonly [state in PoolState]: Style } = {
  updated: 'good',
  updating: 'busy',
  unavailable: 'busy',
  paused: 'held',
  unrendered: 'dim',
  misconfigured: 'bad',
  degraded: 'bad',
  'broken-render': 'bad',
};

/** All bars have the same length. */
function headLines(pools: readonly PoolSummary[], canvas: Canvas, now: string): readonly string[] {
  const { paint, hasColors, width } = canvas;
  const heads = pools.map((pool) => ({
    pool,
    name: oneLine(pool.name),
    count: `${pool.counts.updated}/${pool.counts.machines}`,
    state: `${stateText(pool, now)}${overdueSuffix(pool)}${causeSuffix(pool)}`,
  }));
  const names = widest(heads.map(({ name }) => name));
  const counts = widest(heads.map(({ count }) => count));
  const states = Math.max(0, ...heads.map(({ state }) => state.length));
  const size = Math.max(MIN_BAR, Math.min(MAX_BAR, width - names - counts - states - BESIDE_BAR));
  return heads.map(({ pool, name, count, state }) => {
    const bar = progressBar(pool.counts, { size, hasColors, paint });
    const front = `${paint('bold', name.padEnd(names))}  ${bar}  ${count.padStart(counts)}`;
    return `${front}  ${paint(pool.counts.overdue > 0 ? 'bad' : STATE_STYLES[pool.state], state)}`;
  });
}

function stateText(pool: PoolSummary, now: string): string {
  const { state, counts } = pool;
  const duration = elapsed(pool.since, now);
  const lasting = duration === undefined ? '' : ` for ${duration}`;
  const alsoPaused = pool.isPaused ? ', paused' : '';
  switch (state) {
    case 'updated':
      return counts.machines === 0 ? 'no nodes' : 'updated';
    case 'updating':
      return `updating${lasting}`;
    case 'unavailable':
      return `updated, ${counts.machines - counts.ready - counts.withoutDaemon} unavailable`;
    case 'paused':
      return counts.waiting > 0 ? 'paused, changes pending' : 'paused';
    case 'unrendered':
      return 'no configuration yet';
    case 'broken-render':
      return `broken render${alsoPaused}`;
    default:
      return `${state}${state === 'degraded' ? lasting : ''}${alsoPaused}`;
  }
}

function overdueSuffix({ counts: { overdue } }: PoolSummary): string {
  return overdue === 0 ? '' : `, ${overdue} not back from ${overdue === 1 ? 'its reboot' : 'their reboots'}`;
}

/** A code of the doctor, which the hints explain. */
function causeSuffix({ cause }: PoolSummary): string {
  return cause === undefined ? '' : `: ${cause}`;
}

function detailLines(pool: PoolSummary, canvas: Canvas, now: string): readonly string[] {
  const rows: readonly Row[] = [
    ...(pool.target === '' ? [] : [{ text: pool.target, style: 'dim' } as const]),
    ...pool.troubles
      .filter(({ kind }) => kind !== 'nodes')
      .map((problem) => ({ text: problemText(problem), style: 'bad' }) as const),
    ...(pool.waitsFor === undefined ? [] : [{ text: pool.waitsFor }]),
    ...nodeRows(pool, now),
    ...waitingRow(pool),
    ...withoutDaemonRow(pool),
  ];
  return blocks(rows, canvas);
}

function waitingRow({ counts, isPaused, maxUnavailable }: PoolSummary): readonly Row[] {
  const { waiting } = counts;
  if (waiting === 0) return [];
  if (isPaused) {
    return [{ text: `${nodesText(waiting)} waiting for the pool to be unpaused`, style: 'held' }];
  }
  const limit = maxUnavailable === undefined ? '' : `, maxUnavailable ${maxUnavailable}`;
  return [{ text: `${nodesText(waiting)} waiting${limit}` }];
}

const MAX_NAMES = 3;

function withoutDaemonRow({ nodes }: PoolSummary): readonly Row[] {
  const names = nodes.filter(({ state }) => state === 'without-daemon').map(({ name }) => name);
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMES ? ', ...' : '';
  const [have, them] = names.length === 1 ? ['has', 'it'] : ['have', 'them'];
  const text =
    `${nodesText(names.length)} ${have} no daemon (${names.slice(0, MAX_NAMES).join(', ')}${more}): not updated ` +
    `until the DaemonSet machine-config-daemon runs on ${them}`;
  return [{ text, style: 'held' }];
}

/** What concerns all pools. */
function alertLines(text: string, { width, paint }: Canvas): readonly string[] {
  return wrapText(shortened(oneLine(text), MAX_MESSAGE_CHARS), width).map((line) => paint('bad', line));
}

function unassignedLines(unassigned: readonly UnassignedNode[], canvas: Canvas): readonly string[] {
  const rows = unassigned.map(({ name, kind, message }): Row => {
    if (kind === 'windows') return { name, text: 'Windows node, not managed', style: 'dim' };
    return { name, text: message ?? 'no pool selects it', style: kind === 'conflict' ? 'bad' : 'busy' };
  });
  return [canvas.paint('bold', 'in no pool'), ...blocks(rows, canvas)];
}

/** Names in a column, with wrapped texts beside them. */
function blocks(rows: readonly Row[], { width, paint }: Canvas): readonly string[] {
  const column = widest(rows.map(({ name = '' }) => name));
  return rows.flatMap(({ name, text, style, maxWhole }) => {
    const lead = name === undefined ? '' : `${oneLine(name).padEnd(column)}  `;
    const room = width - INDENT.length - lengthOf(lead);
    const shown = shortened(oneLine(text), MAX_MESSAGE_CHARS, maxWhole);
    return wrapText(shown, room).map((line, index) => {
      const front = index === 0 ? lead : ' '.repeat(lengthOf(lead));
      return `${INDENT}${front}${style === undefined ? line : paint(style, line)}`;
    });
  });
}

/** Commands with their purpose as a shell comment, if there is room. */
function hintLines(
  hints: readonly { readonly command: string; readonly why: string }[],
  { width, paint }: Canvas,
): readonly string[] {
  return hints.map(({ command, why }) => {
    const full = `${oneLine(command)}  # ${why}`;
    return paint('dim', lengthOf(full) <= width ? full : oneLine(command));
  });
}

/** Longer names extend beyond the column. */
const MAX_COLUMN = 24;

function widest(texts: readonly string[]): number {
  const lengths = texts.map((text) => lengthOf(oneLine(text)));
  return lengths.reduce((most, length) => Math.max(most, Math.min(length, MAX_COLUMN)), 0);
}
