/**
 * Which nodes of a rehearsal are modelled: in a large cluster all but a sample. Those that a fault is about have a machine, and so have the
 * first nodes of every pool, on which all checks of a daemon are made before others follow.
 */
import { MOST_REAL_NODES, SAMPLE_OF_A_POOL } from './rehearsal-limits.ts';
import type { RehearsedNode } from './rehearsed-cluster.ts';
import type { WhatIf } from './what-ifs.ts';

type ChosenNode = Pick<RehearsedNode, 'name' | 'pool' | 'isUp'>;

export function modelledNodes(nodes: readonly ChosenNode[], whatIfs: readonly WhatIf[]): ReadonlySet<string> {
  if (nodes.length <= MOST_REAL_NODES) return new Set();
  const named = new Set(whatIfs.flatMap((one) => ('node' in one ? [one.node] : [])));
  const sampled = new Map<string, number>();
  const modelled = new Set<string>();
  for (const { name, pool, isUp } of nodes) {
    const before = sampled.get(pool) ?? 0;
    const isSampled = isUp && before < SAMPLE_OF_A_POOL;
    if (isSampled) sampled.set(pool, before + 1);
    else if (!named.has(name)) modelled.add(name);
  }
  return modelled;
}
