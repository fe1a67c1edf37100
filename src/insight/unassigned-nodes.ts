/**
 * Nodes that no pool counts, and why.
 */
import type { MachineConfigPool } from '../api/index.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { membershipOf } from '../rollout/index.ts';

/**
 * `unselected`: no pool selects it; with a message if it was managed before. `conflict`: several custom pools select it.
 * `windows`: not managed.
 */
export type UnassignedNode = {
  readonly name: string;
  readonly kind: 'unselected' | 'conflict' | 'windows';
  readonly message?: string;
};

/** In the order of the nodes. */
export function unassignedNodes(
  nodes: Iterable<Node>,
  pools: readonly MachineConfigPool[],
): readonly UnassignedNode[] {
  return [...nodes].flatMap((node) => {
    const membership = membershipOf(node, pools);
    return membership.kind === 'member' ? [] : [unassignedNode(nameOf(node), membership)];
  });
}

type NonMembership = Exclude<ReturnType<typeof membershipOf>, { readonly kind: 'member' }>;

function unassignedNode(name: string, outside: NonMembership): UnassignedNode {
  if (outside.kind === 'windows') return { name, kind: 'windows' };
  const kind = outside.kind === 'conflict' ? 'conflict' : 'unselected';
  return { name, kind, ...(outside.message === undefined ? {} : { message: outside.message }) };
}
