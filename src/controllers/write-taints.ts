/** Writes the taints of nodes that wait for a newer configuration, a few per reconcile and after nodes were sent. */

import { forEachAtOnce } from '../base/at-once.ts';
import { after, done, isConflict, type Next } from '../kubernetes/client/index.ts';
import { type Node, node as nodeKind, type Taint } from '../kubernetes/types/index.ts';
import { type PoolTally, taintsFor } from '../rollout/index.ts';
import type { Context } from './context.ts';
import type { PoolIndex } from './pool-index.ts';

/** The number of writes before the pool is reconciled again; all of them at once. */
const TAINTS_PER_PASS = 20;
const TAINT_RETRY_MS = 1_000;

export async function writeTaints(context: Context, index: PoolIndex, tally: PoolTally): Promise<Next> {
  // Thousands may wait: only as many are read as are written.
  const names = firstOf(tally.staleTaints, TAINTS_PER_PASS + 1);
  let isOutdated = false;
  await forEachAtOnce(names.slice(0, TAINTS_PER_PASS), TAINTS_PER_PASS, async (name) => {
    const node = tally.contribution(name)?.node;
    const taints = node === undefined ? undefined : taintsFor(node, tally.target);
    if (node === undefined || taints === undefined) return;
    const isWritten = await writeTaint(context, index, { node, taints });
    isOutdated ||= !isWritten;
  });
  if (isOutdated) return after(TAINT_RETRY_MS, 'nodes changed while their taints were written');
  return names.length > TAINTS_PER_PASS ? after(0, 'more taints to write') : done;
}

function firstOf<T>(items: Iterable<T>, count: number): readonly T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === count) break;
    first.push(item);
  }
  return first;
}

/** False where the node has changed since it was read. */
async function writeTaint(
  { kube }: Context,
  index: PoolIndex,
  { node, taints }: { readonly node: Node; readonly taints: readonly Taint[] },
): Promise<boolean> {
  const { name, resourceVersion } = node.metadata;
  // The list is replaced as a whole; the resourceVersion protects taints of others.
  const body = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
  try {
    index.recordNode(await kube.patch(nodeKind, { name }, { type: 'merge', body }));
    return true;
  } catch (error) {
    // The cache may lag for long: before the next attempt the node is read from the server.
    index.markUnconfirmed(name);
    if (isConflict(error)) return false;
    throw error;
  }
}
