/**
 * What is to be told of the nodes of a pool. The name of the pool is not in it.
 */
import { elapsed } from './moment-text.ts';
import type { NodeOverview } from './node-overview.ts';
import type { PoolOverview } from './pool-overview.ts';
import { blockageText, failureText, PHASE_WORDS } from './words.ts';

export type NewsDetail = 'quiet' | 'verbose';

type NodesSeen = {
  /** Absent for a new pool. */
  readonly before: PoolOverview | undefined;
  readonly after: PoolOverview;
  /** In which pool a node was before; empty for one that was in none. */
  readonly homes: ReadonlyMap<string, string>;
  readonly now: string;
  readonly detail: NewsDetail;
};

export function nodeNews(seen: NodesSeen): readonly string[] {
  const before = new Map(seen.before?.nodes.map((node) => [node.name, node]));
  const { nodes, counts } = seen.after;
  const arrivals = new Set(nodes.filter((node) => isArrival(before.get(node.name), node)));
  // Those who arrive at once are counted one by one.
  let done = counts.updated - arrivals.size;
  return nodes.flatMap((node) => {
    const last = before.get(node.name);
    if (last === undefined) return [comingText(node, seen.homes), ...standingOf(node, seen.now)];
    if (!arrivals.has(node)) return changesOf(last, node, seen);
    done++;
    return [
      arrivalText(last, node, { seen, count: `${done} of ${counts.machines}` }),
      ...serviceNews(last, node),
    ];
  });
}

/** What moves, is wrong or does not take work. */
export function nodesToTell({ nodes }: PoolOverview, now: string): readonly string[] {
  return nodes.flatMap((node) => standingOf(node, now));
}

function standingOf(node: NodeOverview, now: string): readonly string[] {
  return [
    ...(node.failure === undefined ? phaseText(node, now) : [`${node.name} is ${failureText(node.failure)}`]),
    ...blockedText(node),
    ...(isUnderWay(node) ? [] : [...readyText(node), ...cordonText(node)]),
  ];
}

/** It has got what is wanted. One that is wanted no further than where it stands has not moved. */
function isArrival(last: NodeOverview | undefined, node: NodeOverview): boolean {
  if (last === undefined || node.state !== 'updated') return false;
  return last.current !== node.current || last.state === 'moving';
}

type Arrival = { readonly seen: NodesSeen; readonly count: string };

function arrivalText(last: NodeOverview, node: NodeOverview, { seen, count }: Arrival): string {
  const duration = elapsed(last.movingSince, seen.now);
  const isRebooted = last.hasRebooted === true || last.phase === 'rebooting' || hasOtherBoot(last, node);
  return [
    `${node.name} ${last.failure === undefined ? 'is' : 'has recovered and is'} updated, ${count}`,
    ...(duration === undefined ? [] : [`in ${duration}`]),
    ...(isRebooted ? ['with a reboot'] : []),
  ].join(', ');
}

function comingText({ name }: NodeOverview, homes: ReadonlyMap<string, string>): string {
  const home = homes.get(name);
  if (home === undefined) return `node ${name} has joined`;
  return `node ${name} has come from ${home === '' ? 'no pool' : `pool ${home}`}`;
}

function changesOf(last: NodeOverview, node: NodeOverview, seen: NodesSeen): readonly string[] {
  const isVerbose = seen.detail === 'verbose';
  const isPlanned = isUnderWay(last) || isUnderWay(node);
  const lastBlocked = blockedText(last);
  return [
    ...(isVerbose && node.phase !== last.phase ? phaseText(node) : []),
    ...(hasOtherBoot(last, node) && (isVerbose || !isPlanned) ? [`${node.name} has rebooted`] : []),
    ...failureNews(last, node, isVerbose),
    ...blockedText(node).filter((line) => !lastBlocked.includes(line)),
    ...serviceNews(last, node),
  ];
}

function failureNews(last: NodeOverview, node: NodeOverview, isVerbose: boolean): readonly string[] {
  if (node.failure === undefined) return last.failure === undefined ? [] : [`${node.name} has recovered`];
  // What it says may change with each attempt.
  const isTold = isVerbose
    ? last.failure?.message === node.failure.message
    : last.failure?.kind === node.failure.kind;
  return isTold ? [] : [`${node.name} is ${failureText(node.failure)}`];
}

/** Nodes that are under way go out of service and come back: that is the plan, and no news. */
function serviceNews(last: NodeOverview, node: NodeOverview): readonly string[] {
  if (isUnderWay(node)) return [];
  const wasTold = !isUnderWay(last);
  const lines: string[] = [];
  if (node.notReady === undefined) {
    if (wasTold && last.notReady !== undefined) lines.push(`${node.name} is Ready again`);
  } else if (!wasTold || last.notReady === undefined) lines.push(...readyText(node));
  if (node.cordonedBy !== 'other') {
    if (wasTold && last.cordonedBy === 'other') lines.push(`${node.name} is uncordoned`);
  } else if (!wasTold || last.cordonedBy !== 'other') lines.push(...cordonText(node));
  return lines;
}

/** With how long it has been so, for those who come later. */
function phaseText({ name, state, phase, phaseSince }: NodeOverview, now?: string): readonly string[] {
  if (phase === undefined) return [];
  const duration = now === undefined ? undefined : elapsed(phaseSince, now);
  const again = state === 'degraded' ? ', again' : '';
  return [`${name} is ${PHASE_WORDS[phase]}${duration === undefined ? '' : ` for ${duration}`}${again}`];
}

function blockedText(node: NodeOverview): readonly string[] {
  const { name, blockage } = node;
  return blockage === undefined ? [] : [`the drain of ${name} is blocked: ${blockageText(blockage)}`];
}

function readyText({ name, notReady }: NodeOverview): readonly string[] {
  return notReady === undefined ? [] : [`${name} is not Ready${colon(notReady.message)}`];
}

function cordonText({ name, cordonedBy }: NodeOverview): readonly string[] {
  return cordonedBy === 'other' ? [`${name} is cordoned by somebody, and is left alone`] : [];
}

function colon(text: string): string {
  return text === '' ? '' : `: ${text}`;
}

function isUnderWay({ phase }: NodeOverview): boolean {
  return phase !== undefined;
}

function hasOtherBoot(last: NodeOverview, node: NodeOverview): boolean {
  return last.bootId !== undefined && node.bootId !== undefined && last.bootId !== node.bootId;
}
