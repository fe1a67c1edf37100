/**
 * The nodes of a pool that are worth a row: those that fail, those on their way, and those that do not take work.
 */
import { elapsed } from './moment-text.ts';
import type { NodeFailure, NodeOverview } from './node-overview.ts';
import type { Style } from './paint.ts';
import type { PoolOverview } from './pool-overview.ts';
import { blockageText, failureText, nodesText, PHASE_WORDS } from './words.ts';

/** A text, behind the name of the node that it is about; an empty name continues the row above. */
export type Row = { readonly name?: string; readonly text: string; readonly style?: Style };

/** More nodes than this do not fit on a screen; the worst come first. */
const MAX_NODES = 12;

export function nodeRows(pool: PoolOverview, now: string): readonly Row[] {
  const told = [
    ...pool.nodes.filter(({ failure }) => failure !== undefined),
    ...pool.nodes.filter(({ state }) => state === 'moving'),
    ...pool.nodes.filter((node) => isIdle(node) && isOutOfService(node)),
  ];
  const more = told.length - MAX_NODES;
  return [
    ...told.slice(0, MAX_NODES).flatMap((node) => rowsOf(node, pool, now)),
    ...(more > 0 ? [{ text: `and ${nodesText(more)} more`, style: 'dim' } as const] : []),
  ];
}

function rowsOf(node: NodeOverview, pool: PoolOverview, now: string): readonly Row[] {
  const [first, ...more] = [
    ...(node.failure === undefined ? [] : [failureRow(node.failure, now)]),
    ...(node.phase === undefined ? [] : [phaseRow(node, pool, now)]),
    ...(node.blockage === undefined ? [] : [blockageRow(node.blockage, now)]),
    ...(isIdle(node) ? serviceRows(node, now) : []),
  ];
  if (first === undefined) return [];
  return [{ name: node.name, ...first }, ...more.map((row) => ({ name: '', ...row }))];
}

function failureRow(failure: NodeFailure, now: string): Row {
  return { text: failureText(failure, elapsed(failure.since, now)), style: 'bad' };
}

function phaseRow({ phase, phaseSince, state, desired }: NodeOverview, pool: PoolOverview, now: string): Row {
  const word = phase === undefined ? '' : PHASE_WORDS[phase];
  // How long it has been failing is said already.
  if (state === 'degraded') return { text: `while ${word}`, style: 'busy' };
  const duration = elapsed(phaseSince, now);
  const lasting = duration === undefined ? '' : ` for ${duration}`;
  const elsewhere = desired === '' || desired === pool.target ? '' : `, on the way to ${desired}`;
  return { text: `${word}${lasting}${elsewhere}`, style: 'busy' };
}

function blockageRow(blockage: NonNullable<NodeOverview['blockage']>, now: string): Row {
  const { attempts, retryAt } = blockage;
  const wait = retryAt === undefined ? undefined : elapsed(now, retryAt);
  const next = wait === undefined ? '' : `; attempt ${attempts + 1} in ${wait}`;
  return { text: `blocked: ${blockageText(blockage)}${next}`, style: 'bad' };
}

function serviceRows({ notReady, cordonedBy }: NodeOverview, now: string): readonly Row[] {
  const rows: Row[] = [];
  if (notReady !== undefined) {
    const duration = elapsed(notReady.since, now);
    const lasting = duration === undefined ? '' : ` for ${duration}`;
    const why = notReady.message === '' ? '' : `: ${notReady.message}`;
    rows.push({ text: `not Ready${lasting}${why}`, style: 'bad' });
  }
  if (cordonedBy === 'other') rows.push({ text: 'cordoned by somebody, and left alone', style: 'held' });
  return rows;
}

function isIdle({ phase }: NodeOverview): boolean {
  return phase === undefined;
}

function isOutOfService({ failure, notReady, cordonedBy }: NodeOverview): boolean {
  return failure === undefined && (notReady !== undefined || cordonedBy === 'other');
}
