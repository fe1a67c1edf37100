/**
 * How many nodes of the control plane may be down at once, so that etcd keeps its quorum.
 *
 * The node controller sends no more of them. But a daemon also requests a drain by itself, where an administrator has left
 * a force file on its machine, and may do so on all machines at once: so the drain controller checks again before it
 * begins.
 */
import { labels, nodeRoleLabel } from '../api/index.ts';
import { labelOf, nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import type { DrainRecord } from './drain-record.ts';
import { drainState, isCordonedByUs } from './drain-state.ts';
import { isReady } from './node-state.ts';

/** etcd needs more than half of its members. Of one or two none can be spared, but they have to be updated too. */
export function spareMembers(count: number): number {
  return Math.max(1, Math.floor((count - 1) / 2));
}

/**
 * Why the drain of a node must not begin yet; `undefined` where it may. `beginning`: the names of nodes whose drain is being
 * begun.
 */
export function quorumProblem(
  node: Node,
  nodes: Iterable<Node>,
  beginning: ReadonlySet<string> = new Set(),
): string | undefined {
  // A node that is down already does not cost etcd another member.
  if (!isControlPlane(node) || isDown(node)) return undefined;
  const members = [...nodes].filter(isControlPlane);
  const others = members.filter((other) => nameOf(other) !== nameOf(node));
  const down = others.filter((other) => isDown(other) || beginning.has(nameOf(other))).map(nameOf);
  if (down.length < spareMembers(members.length)) return undefined;
  return (
    `node ${nameOf(node)}: its drain waits for ${down.sort().join(', ')}: ` +
    `of ${members.length} control plane nodes no more may be down, or etcd would lose its quorum`
  );
}

const ROLES = [labels.nodeRoleMaster, nodeRoleLabel('control-plane'), nodeRoleLabel('arbiter')];

function isControlPlane(node: Node): boolean {
  return ROLES.some((label) => labelOf(node, label) !== undefined);
}

/** Not ready, or being drained by us, until it is uncordoned. A cordon of others does not stop etcd. */
function isDown(node: Node): boolean {
  const { request, currentRecord } = drainState(node);
  const isBegun = request?.verb === 'drain' && currentRecord !== undefined && !isFailedCordon(currentRecord);
  return isBegun || isCordonedByUs(node) || !isReady({ ...node, spec: {} });
}

/** The node could not be cordoned, so nothing has happened to it. */
function isFailedCordon({ cordonError, attempts }: DrainRecord): boolean {
  return cordonError !== undefined && attempts === 0;
}
