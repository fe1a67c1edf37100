/**
 * The last node that takes pods. Were it cordoned too, evicted pods would have no place, our own controller's among them:
 * then nobody would be left to bring any node back. So it waits until a node that we cordoned is back in service.
 *
 * Only for nodes that come back by themselves: where people have cordoned all others, they know why.
 */
import { nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { drainState } from './drain-state.ts';
import { isCordoned } from './node-state.ts';

/** `cordoning`: the names of nodes that were cordoned a moment ago, whether or not their objects say so yet. */
export function isLastOpenNode(
  name: string,
  nodes: Iterable<Node>,
  cordoning: ReadonlySet<string> = new Set(),
): boolean {
  let comesBack = false;
  for (const node of nodes) {
    if (nameOf(node) === name) continue;
    const isOurs = cordoning.has(nameOf(node)) || drainState(node).record?.cordonedBy === 'millwright';
    if (!isCordoned(node) && !cordoning.has(nameOf(node))) return false;
    comesBack ||= isOurs;
  }
  return comesBack;
}
