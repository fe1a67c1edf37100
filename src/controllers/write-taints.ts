/** Writes the taints of nodes that wait for a newer configuration, some at a time, behind the targeting. */

import { after, done, isConflict, type Next } from '../kubernetes/client/index.ts';
import { type Node, node as nodeKind, type Taint } from '../kubernetes/types/index.ts';
import { type PoolTally, taintsFor } from '../rollout/index.ts';
import type { Context } from './context.ts';
import type { PoolBooks } from './pool-books.ts';

/** So many are written before the pool is looked at again. */
const TAINTS_PER_PASS = 20;
const TAINT_RETRY_MS = 1_000;

export async function writeTaints(context: Context, books: PoolBooks, tally: PoolTally): Promise<Next> {
  // Thousands may wait: no more of them are looked at than are written.
  const names = firstOf(tally.staleTaints, TAINTS_PER_PASS + 1);
  let isOutdated = false;
  for (const name of names.slice(0, TAINTS_PER_PASS)) {
    const node = tally.contribution(name)?.node;
    const taints = node === undefined ? undefined : taintsFor(node, tally.target);
    if (node === undefined || taints === undefined) continue;
    const isWritten = await writeTaint(context, books, { node, taints });
    isOutdated ||= !isWritten;
  }
  if (isOutdated) return after(TAINT_RETRY_MS, 'taints of nodes that have changed');
  return names.length > TAINTS_PER_PASS ? after(0, 'more taints are to be written') : done;
}

function firstOf<T>(items: Iterable<T>, count: number): readonly T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === count) break;
    first.push(item);
  }
  return first;
}

/** False where the node has changed meanwhile. */
async function writeTaint(
  { kube }: Context,
  books: PoolBooks,
  { node, taints }: { readonly node: Node; readonly taints: readonly Taint[] },
): Promise<boolean> {
  const { name, resourceVersion } = node.metadata;
  // The list is written as a whole: with the version that was read nobody else's taint is lost.
  const body = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
  try {
    books.onSent(await kube.patch(nodeKind, { name }, { type: 'merge', body }));
    return true;
  } catch (error) {
    // Before it is tried again the server is asked what the node looks like: the cache may not know for long.
    books.onDoubt(name);
    if (isConflict(error)) return false;
    throw error;
  }
}
