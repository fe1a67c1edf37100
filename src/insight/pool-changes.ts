/**
 * Changes and states of a pool as a whole.
 */

import { nodesText, problemText, RESOLVED_MESSAGES } from './messages.ts';
import type { NodeSummary } from './node-summary.ts';
import type { PoolSummary } from './pool-summary.ts';

/** Lines without the name of the pool: `begun` comes before the lines of its nodes, `ended` after them. */
type PoolChanges = { readonly begun: readonly string[]; readonly ended: readonly string[] };

export function poolChanges(before: PoolSummary | undefined, after: PoolSummary): PoolChanges {
  if (before === undefined) {
    const size = after.counts.machines;
    const begun = [`a new pool${size > 0 ? `, with ${nodesText(size)}` : ''}`];
    return { begun: [...begun, ...rolloutText(after), ...problemTexts(after)], ended: [] };
  }
  return {
    begun: [...rolloutChanges(before, after), ...problemChanges(before, after)],
    ended: completionChanges(before, after),
  };
}

/** The state of a pool that is not simply updated, with its name. */
export function poolStates(pool: PoolSummary): readonly string[] {
  return [...rolloutText(pool), ...problemTexts(pool)].map((line) => `${pool.name}: ${line}`);
}

/** The current rollout, or why there is none. */
function rolloutText(pool: PoolSummary): readonly string[] {
  const { target, counts } = pool;
  const left = countLeft(pool);
  if (pool.isPaused) return [`paused; ${pendingText(pool)}`];
  if (left === 0) return [];
  if (target === '') return [`has no configuration yet; ${waitingText(left)} one`];
  const done = counts.updated > 0 ? `, ${counts.updated} of ${counts.machines} done` : '';
  return [`rolling out ${target} to ${nodesText(left)}${done}`];
}

/** Nodes without the target config. Nodes with config drift are not counted: they have no rollout. */
function countLeft({ nodes, target }: PoolSummary): number {
  const hasTarget = ({ state, phase, current }: NodeSummary) =>
    state === 'updated' || (state === 'degraded' && phase === undefined && current === target);
  return nodes.filter((node) => !hasTarget(node)).length;
}

/** Pending changes of a paused pool. */
function pendingText(pool: PoolSummary): string {
  const { target, counts } = pool;
  const left = countLeft(pool) - counts.moving;
  const updating = counts.moving > 0 ? `; ${nodesText(counts.moving)} already updating will finish` : '';
  return left === 0
    ? `nothing pending${updating}`
    : `${waitingText(left)} ${target || 'a configuration'}${updating}`;
}

function waitingText(count: number): string {
  return `${nodesText(count)} waiting for`;
}

function rolloutChanges(before: PoolSummary, after: PoolSummary): readonly string[] {
  if (after.isPaused) {
    if (!before.isPaused) return rolloutText(after);
    const isNew = after.target !== before.target && countLeft(after) > 0;
    return isNew ? [`still paused; ${pendingText(after)}`] : [];
  }
  const [rollout = 'nothing pending'] = rolloutText(after);
  if (before.isPaused) return [`unpaused; ${rollout}`];
  return after.target === before.target || after.target === '' ? [] : rolloutText(after);
}

function completionChanges(before: PoolSummary, after: PoolSummary): readonly string[] {
  if (!after.isUpdated || after.counts.machines === 0) return [];
  // Nodes that are joining do not keep a pool from being updated.
  const joining = countLeft(after);
  if (before.target !== after.target || countLeft(before) > joining) {
    const all = after.counts.machines === 1 ? 'its node has' : `all ${after.counts.machines} nodes have`;
    const others = `${nodesText(after.counts.machines - joining)} of ${after.counts.machines} have`;
    return [`updated: ${joining === 0 ? all : others} ${after.target}`];
  }
  const isAvailableAgain = before.state === 'unavailable' && after.state === 'updated';
  return isAvailableAgain ? ['all its nodes are available again'] : [];
}

function problemChanges(before: PoolSummary, after: PoolSummary): readonly string[] {
  const reported = new Set(problemTexts(before));
  const kinds = new Set(after.troubles.map(({ kind }) => kind));
  const resolved = before.troubles.filter(({ kind }) => kind !== 'nodes' && !kinds.has(kind));
  return [
    ...problemTexts(after).filter((line) => !reported.has(line)),
    ...new Set(resolved.map(({ kind }) => RESOLVED_MESSAGES[kind])),
  ];
}

/** Degraded nodes are reported individually. */
function problemTexts({ troubles }: PoolSummary): readonly string[] {
  return troubles.filter(({ kind }) => kind !== 'nodes').map(problemText);
}
