/**
 * What is to be told of a pool as a whole.
 */
import type { NodeOverview } from './node-overview.ts';
import type { PoolOverview } from './pool-overview.ts';
import { MENDED_WORDS, nodesText, troubleText } from './words.ts';

/** `begun` comes before what is told of its nodes, `ended` behind it. The name of the pool is not in it. */
type PoolNews = { readonly begun: readonly string[]; readonly ended: readonly string[] };

export function poolNews(before: PoolOverview | undefined, after: PoolOverview): PoolNews {
  if (before === undefined) {
    const size = after.counts.machines;
    const begun = [`a new pool${size > 0 ? `, with ${nodesText(size)}` : ''}`];
    return { begun: [...begun, ...courseText(after), ...troubleTexts(after)], ended: [] };
  }
  return {
    begun: [...courseNews(before, after), ...troubleNews(before, after)],
    ended: arrivalNews(before, after),
  };
}

/** What is true of the pool, where it is not simply updated. With its name. */
export function poolToTell(pool: PoolOverview): readonly string[] {
  return [...courseText(pool), ...troubleTexts(pool)].map((line) => `${pool.name}: ${line}`);
}

/** Where the pool is going, or why it is not. */
function courseText(pool: PoolOverview): readonly string[] {
  const { target, counts } = pool;
  const left = countLeft(pool);
  if (pool.isPaused) return [`paused; ${pendingText(pool)}`];
  if (left === 0) return [];
  if (target === '') return [`has no configuration yet; ${waitingText(left)} one`];
  const done = counts.updated > 0 ? `, ${counts.updated} of ${counts.machines} done` : '';
  return [`rolling out ${target} to ${nodesText(left)}${done}`];
}

/** Nodes that do not have the target yet. One that drifted from it has nowhere to go. */
function countLeft({ nodes, target }: PoolOverview): number {
  const isThere = ({ state, phase, current }: NodeOverview) =>
    state === 'updated' || (state === 'degraded' && phase === undefined && current === target);
  return nodes.filter((node) => !isThere(node)).length;
}

/** What a paused pool holds back. */
function pendingText(pool: PoolOverview): string {
  const { target, counts } = pool;
  const left = countLeft(pool) - counts.moving;
  const going = counts.moving > 0 ? `; ${nodesText(counts.moving)} on the way will finish` : '';
  return left === 0 ? `nothing waits${going}` : `${waitingText(left)} ${target || 'a configuration'}${going}`;
}

function waitingText(count: number): string {
  return `${nodesText(count)} ${count === 1 ? 'waits' : 'wait'} for`;
}

function courseNews(before: PoolOverview, after: PoolOverview): readonly string[] {
  if (after.isPaused) {
    if (!before.isPaused) return courseText(after);
    const isNew = after.target !== before.target && countLeft(after) > 0;
    return isNew ? [`still paused; ${pendingText(after)}`] : [];
  }
  const [course = 'nothing waits'] = courseText(after);
  if (before.isPaused) return [`unpaused; ${course}`];
  return after.target === before.target || after.target === '' ? [] : courseText(after);
}

function arrivalNews(before: PoolOverview, after: PoolOverview): readonly string[] {
  if (!after.isUpdated || after.counts.machines === 0) return [];
  if (before.target !== after.target || countLeft(before) > 0) {
    const all = after.counts.machines === 1 ? 'its node has' : `all ${after.counts.machines} nodes have`;
    return [`updated: ${all} ${after.target}`];
  }
  return before.state === 'unavailable' ? ['all its nodes take work again'] : [];
}

function troubleNews(before: PoolOverview, after: PoolOverview): readonly string[] {
  const told = new Set(troubleTexts(before));
  const kinds = new Set(after.troubles.map(({ kind }) => kind));
  const mended = before.troubles.filter(({ kind }) => kind !== 'nodes' && !kinds.has(kind));
  return [
    ...troubleTexts(after).filter((line) => !told.has(line)),
    ...new Set(mended.map(({ kind }) => MENDED_WORDS[kind])),
  ];
}

/** Degraded nodes are told one by one. */
function troubleTexts({ troubles }: PoolOverview): readonly string[] {
  return troubles.filter(({ kind }) => kind !== 'nodes').map(troubleText);
}
