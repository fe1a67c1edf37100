/**
 * Changes and states of the nodes of a pool, as lines without the name of the pool.
 */

import { blockageText, failureText, PHASE_MESSAGES } from './messages.ts';
import type { NodeSummary } from './node-summary.ts';
import type { PoolSummary } from './pool-summary.ts';
import { elapsed } from './timestamp.ts';

export type ChangeDetail = 'quiet' | 'verbose';

type NodeComparison = {
  /** Undefined for a new pool. */
  readonly before: PoolSummary | undefined;
  readonly after: PoolSummary;
  /** The previous pool of each node; empty for a node in no pool. */
  readonly previousPools: ReadonlyMap<string, string>;
  readonly now: string;
  readonly detail: ChangeDetail;
};

export function nodeChanges(comparison: NodeComparison): readonly string[] {
  const before = new Map(comparison.before?.nodes.map((node) => [node.name, node]));
  const { nodes, counts } = comparison.after;
  const completed = new Set(nodes.filter((node) => hasCompleted(before.get(node.name), node)));
  // Nodes that complete at the same time are counted one by one.
  let done = counts.updated - completed.size;
  return nodes.flatMap((node) => {
    const last = before.get(node.name);
    if (last === undefined)
      return [joinedText(node, comparison.previousPools), ...currentStateOf(node, comparison.now)];
    if (!completed.has(node)) return changesOf(last, node, comparison);
    done++;
    return [
      completedText(last, node, { comparison, count: `${done} of ${counts.machines}` }),
      ...availabilityChanges(last, node),
    ];
  });
}

/** Nodes that are updating, degraded or unavailable. */
export function nodeStates({ nodes }: PoolSummary, now: string): readonly string[] {
  return nodes.flatMap((node) => currentStateOf(node, now));
}

function currentStateOf(node: NodeSummary, now: string): readonly string[] {
  return [
    ...(node.failure === undefined ? phaseText(node, now) : [`${node.name} is ${failureText(node.failure)}`]),
    ...blockedText(node),
    ...(isUpdating(node) ? [] : [...readyText(node), ...cordonText(node)]),
  ];
}

/** Whether the node has completed an update. A node whose desired config was reset to its current one has not. */
function hasCompleted(last: NodeSummary | undefined, node: NodeSummary): boolean {
  if (last === undefined || node.state !== 'updated') return false;
  return last.current !== node.current || last.state === 'moving';
}

type Completion = { readonly comparison: NodeComparison; readonly count: string };

function completedText(last: NodeSummary, node: NodeSummary, { comparison, count }: Completion): string {
  const duration = elapsed(last.movingSince, comparison.now);
  const isRebooted = last.hasRebooted === true || last.phase === 'rebooting' || hasOtherBoot(last, node);
  return [
    `${node.name} ${last.failure === undefined ? 'is' : 'has recovered and is'} updated, ${count}`,
    ...(duration === undefined ? [] : [`in ${duration}`]),
    ...(isRebooted ? ['with a reboot'] : []),
  ].join(', ');
}

function joinedText({ name }: NodeSummary, previousPools: ReadonlyMap<string, string>): string {
  const previous = previousPools.get(name);
  if (previous === undefined) return `node ${name} has joined`;
  return `node ${name} has moved here from ${previous === '' ? 'no pool' : `pool ${previous}`}`;
}

function changesOf(last: NodeSummary, node: NodeSummary, comparison: NodeComparison): readonly string[] {
  const isVerbose = comparison.detail === 'verbose';
  const isPlanned = isUpdating(last) || isUpdating(node);
  const lastBlocked = blockedText(last);
  return [
    ...(isVerbose && node.phase !== last.phase ? phaseText(node) : []),
    ...(hasOtherBoot(last, node) && (isVerbose || !isPlanned) ? [`${node.name} has rebooted`] : []),
    ...failureChanges(last, node, isVerbose),
    ...blockedText(node).filter((line) => !lastBlocked.includes(line)),
    ...availabilityChanges(last, node),
  ];
}

function failureChanges(last: NodeSummary, node: NodeSummary, isVerbose: boolean): readonly string[] {
  if (node.failure === undefined) return last.failure === undefined ? [] : [`${node.name} has recovered`];
  // The message may change with each attempt.
  const isReported = isVerbose
    ? last.failure?.message === node.failure.message
    : last.failure?.kind === node.failure.kind;
  return isReported ? [] : [`${node.name} is ${failureText(node.failure)}`];
}

/** Updating nodes become unavailable and available again as planned, which is not reported. */
function availabilityChanges(last: NodeSummary, node: NodeSummary): readonly string[] {
  if (isUpdating(node)) return [];
  const wasReported = !isUpdating(last);
  const lines: string[] = [];
  if (node.notReady === undefined) {
    if (wasReported && last.notReady !== undefined) lines.push(`${node.name} is Ready again`);
  } else if (!wasReported || last.notReady === undefined) lines.push(...readyText(node));
  if (node.cordonedBy !== 'other') {
    if (wasReported && last.cordonedBy === 'other') lines.push(`${node.name} is uncordoned`);
  } else if (!wasReported || last.cordonedBy !== 'other') lines.push(...cordonText(node));
  return lines;
}

/** With `now`, includes how long the phase has lasted. */
function phaseText({ name, state, phase, phaseSince }: NodeSummary, now?: string): readonly string[] {
  if (phase === undefined) return [];
  const duration = now === undefined ? undefined : elapsed(phaseSince, now);
  const again = state === 'degraded' ? ', again' : '';
  return [`${name} is ${PHASE_MESSAGES[phase]}${duration === undefined ? '' : ` for ${duration}`}${again}`];
}

function blockedText(node: NodeSummary): readonly string[] {
  const { name, blockage } = node;
  return blockage === undefined ? [] : [`the drain of ${name} is blocked: ${blockageText(blockage)}`];
}

function readyText({ name, notReady }: NodeSummary): readonly string[] {
  return notReady === undefined ? [] : [`${name} is not Ready${colon(notReady.message)}`];
}

function cordonText({ name, cordonedBy }: NodeSummary): readonly string[] {
  return cordonedBy === 'other' ? [`${name} is cordoned by another client and will not be updated`] : [];
}

function colon(text: string): string {
  return text === '' ? '' : `: ${text}`;
}

function isUpdating({ phase }: NodeSummary): boolean {
  return phase !== undefined;
}

function hasOtherBoot(last: NodeSummary, node: NodeSummary): boolean {
  return last.bootId !== undefined && node.bootId !== undefined && last.bootId !== node.bootId;
}
