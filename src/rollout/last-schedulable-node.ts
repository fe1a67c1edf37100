/**
 * The last schedulable node. If it were cordoned too, evicted pods could not be scheduled, the controller's own pod among
 * them, and no node would ever be uncordoned. So it waits until a node that we cordoned is uncordoned.
 *
 * It waits only for nodes that we uncordon: administrators who have cordoned all others did so on purpose.
 */
import { nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { drainState } from './drain-state.ts';
import { isCordoned } from './node-state.ts';

/** `cordoning`: the names of nodes whose cordon is being written. */
export function isLastSchedulableNode(
  name: string,
  nodes: Iterable<Node>,
  cordoning: ReadonlySet<string> = new Set(),
): boolean {
  let willBeUncordoned = false;
  for (const node of nodes) {
    if (nameOf(node) === name) continue;
    const isOurs = cordoning.has(nameOf(node)) || drainState(node).record?.cordonedBy === 'millwright';
    if (!isCordoned(node) && !cordoning.has(nameOf(node))) return false;
    willBeUncordoned ||= isOurs;
  }
  return willBeUncordoned;
}
