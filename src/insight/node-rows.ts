/**
 * The nodes of a pool that get a row in the status: degraded, updating and unavailable ones, and those that lack images.
 */

import {
  blockageText,
  failureText,
  nodesText,
  overdueText,
  PHASE_MESSAGES,
  pinnedImagesText,
} from './messages.ts';
import type { NodeFailure, NodeSummary } from './node-summary.ts';
import type { Style } from './paint.ts';
import type { PinnedImages } from './pinned-images.ts';
import type { PoolSummary } from './pool-summary.ts';
import { elapsed } from './timestamp.ts';

/** A text with the name of its node; an empty name continues the row above. */
export type Row = {
  readonly name?: string;
  readonly text: string;
  readonly style?: Style;
  readonly maxWhole?: number;
};

/** Limited to fit on a screen; degraded nodes come first. */
const MAX_NODES = 12;
/** A refusal with its reason and what to do about it. */
const MAX_FAILURE_CHARS = 600;

export function nodeRows(pool: PoolSummary, now: string): readonly Row[] {
  const listed = [
    ...pool.nodes.filter(({ failure }) => failure !== undefined),
    ...pool.nodes.filter(({ state }) => state === 'moving'),
    ...pool.nodes.filter((node) => isIdle(node) && isUnavailable(node)),
    ...pool.nodes.filter((node) => isIdle(node) && lacksImages(node)),
  ];
  const more = listed.length - MAX_NODES;
  return [
    ...listed.slice(0, MAX_NODES).flatMap((node) => rowsOf(node, pool, now)),
    ...(more > 0 ? [{ text: `and ${nodesText(more)} more`, style: 'dim' } as const] : []),
  ];
}

function rowsOf(node: NodeSummary, pool: PoolSummary, now: string): readonly Row[] {
  const [first, ...more] = [
    ...(node.failure === undefined ? [] : [failureRow(node.failure, now)]),
    ...(node.phase === undefined ? [] : [phaseRow(node, pool, now)]),
    ...(node.blockage === undefined ? [] : [blockageRow(node.blockage, now)]),
    ...(isIdle(node) ? serviceRows(node, now) : []),
    ...(node.images === undefined ? [] : [imagesRow(node.images, now)]),
  ];
  if (first === undefined) return [];
  return [{ name: node.name, ...first }, ...more.map((row) => ({ name: '', ...row }))];
}

function failureRow(failure: NodeFailure, now: string): Row {
  const text = failureText(failure, elapsed(failure.since, now));
  return { text, style: 'bad', maxWhole: MAX_FAILURE_CHARS };
}

function phaseRow(node: NodeSummary, pool: PoolSummary, now: string): Row {
  const { phase, phaseSince, state, desired, notReady, overdue } = node;
  if (overdue !== undefined) {
    return { text: overdueText(overdue, elapsed(phaseSince ?? notReady?.since, now)), style: 'bad' };
  }
  const message = phase === undefined ? '' : PHASE_MESSAGES[phase];
  // The duration is in the failure row.
  if (state === 'degraded') return { text: `while ${message}`, style: 'busy' };
  const duration = elapsed(phaseSince, now);
  const lasting = duration === undefined ? '' : ` for ${duration}`;
  const elsewhere = desired === '' || desired === pool.target ? '' : `, updating to ${desired}`;
  return { text: `${message}${lasting}${elsewhere}`, style: 'busy' };
}

function blockageRow(blockage: NonNullable<NodeSummary['blockage']>, now: string): Row {
  const { attempts, retryAt } = blockage;
  const wait = retryAt === undefined ? undefined : elapsed(now, retryAt);
  const next = wait === undefined ? '' : `; attempt ${attempts + 1} in ${wait}`;
  return { text: `blocked: ${blockageText(blockage)}${next}`, style: 'bad' };
}

function serviceRows({ notReady, cordonedBy }: NodeSummary, now: string): readonly Row[] {
  const rows: Row[] = [];
  if (notReady !== undefined) {
    const duration = elapsed(notReady.since, now);
    const lasting = duration === undefined ? '' : ` for ${duration}`;
    const why = notReady.message === '' ? '' : `: ${notReady.message}`;
    rows.push({ text: `not Ready${lasting}${why}`, style: 'bad' });
  }
  if (cordonedBy === 'other')
    rows.push({ text: 'cordoned by another client, will not be updated', style: 'held' });
  return rows;
}

function imagesRow(images: PinnedImages, now: string): Row {
  const text = pinnedImagesText(images, elapsed(images.since, now));
  return { text, style: images.kind === 'failed' ? 'bad' : 'busy' };
}

/** Of nodes that no other row is about. */
function lacksImages(node: NodeSummary): boolean {
  return node.failure === undefined && !isUnavailable(node) && node.images !== undefined;
}

function isIdle({ phase }: NodeSummary): boolean {
  return phase === undefined;
}

function isUnavailable({ failure, notReady, cordonedBy }: NodeSummary): boolean {
  return failure === undefined && (notReady !== undefined || cordonedBy === 'other');
}
