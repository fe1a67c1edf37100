/**
 * What one node contributes to its pool: to its counts, its conditions, and the choice of the next nodes.
 *
 * It depends only on the node, its MachineConfigNode and the pool's target, never on other nodes. So a pool is the sum of
 * its nodes, and can be updated node by node (`PoolTally`).
 */

import { annotations, type MachineConfigNode } from '../api/index.ts';
import { annotationOf, conditionOf, nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { isCordonedByUs } from './drain-state.ts';
import { isDegraded, isFailing, isManaged, isReady, isUnavailable, isWithoutDaemon } from './node-state.ts';
import { hasAllSets, NO_PINNED_SETS, type PinnedSets } from './pinned/pinned-image-sets.ts';
import { isTargeted, isUpdated, type PoolTarget } from './pool-target.ts';
import { hasStaleTaint } from './taints.ts';
import { type OrderKey, orderKeyOf } from './target-order.ts';

export type Contribution = {
  readonly name: string;
  readonly node: Node;
  /** It has no daemon yet, or its daemon has not reported. */
  readonly isJoining: boolean;
  /** It has had the time to join, and no daemon has ever reported. */
  readonly isWithoutDaemon: boolean;
  /** The node has the target configuration. */
  readonly isUpdated: boolean;
  /** It is updated and ready. */
  readonly isReady: boolean;
  readonly isUnavailable: boolean;
  /** Its daemon reports an error. */
  readonly isDegraded: boolean;
  /** It has all images of its PinnedImageSets. */
  readonly isPinned: boolean;
  /** Its taint does not match whether it waits for the target. */
  readonly hasStaleTaint: boolean;
  /** The OS image that it was asked to download ahead of its update; empty where there is none. */
  readonly fetchImage: string;
  readonly part: Part;
  readonly order: OrderKey;
  /** The error in its MachineConfigNode and in its annotation; empty where there is none. */
  readonly errors: { readonly machineConfigNode: string; readonly annotation: string };
};

/**
 * The role of the node in the choice of the next ones. `candidate`: it may be sent to the target if there is capacity.
 * `retryable`: it is unavailable because of us and may be sent on without using capacity. `failing`: it was sent to the
 * target and fails, so it uses capacity although it is available. `none`: neither.
 */
type Part = 'candidate' | 'retryable' | 'failing' | 'none';

export function contributionOf(
  node: Node,
  target: PoolTarget,
  machineConfigNode?: MachineConfigNode,
  pinnedSets: PinnedSets = NO_PINNED_SETS,
): Contribution {
  const ready = isReady(node);
  const fails = isFailing(node);
  const updated = isUpdated(node, target);
  const degraded = isDegraded(node);
  return {
    name: nameOf(node),
    node,
    isJoining: !isManaged(node),
    isWithoutDaemon: isWithoutDaemon(node),
    isUpdated: updated,
    isReady: updated && ready,
    isUnavailable: isUnavailable(node),
    isDegraded: degraded,
    isPinned: hasAllSets(node, machineConfigNode, pinnedSets),
    hasStaleTaint: hasStaleTaint(node, target),
    fetchImage: annotationOf(node, annotations.fetchImage) ?? '',
    part: partOf(node, target, { ready, fails }),
    order: orderKeyOf(node, { isBroken: fails }),
    errors: {
      machineConfigNode: degraded ? degradedMessage(machineConfigNode) : '',
      annotation: degraded ? (annotationOf(node, annotations.reason) ?? '') : '',
    },
  };
}

/** Whether two contributions of one node lead to the same decisions. Most events of nodes are heartbeats, and do. */
export function isSameContribution(a: Contribution, b: Contribution): boolean {
  return (
    a.isJoining === b.isJoining &&
    a.isWithoutDaemon === b.isWithoutDaemon &&
    a.isUpdated === b.isUpdated &&
    a.isReady === b.isReady &&
    a.isUnavailable === b.isUnavailable &&
    a.isDegraded === b.isDegraded &&
    a.isPinned === b.isPinned &&
    a.hasStaleTaint === b.hasStaleTaint &&
    a.fetchImage === b.fetchImage &&
    a.part === b.part &&
    a.order.isBroken === b.order.isBroken &&
    a.order.zone === b.order.zone &&
    a.order.created === b.order.created &&
    a.errors.machineConfigNode === b.errors.machineConfigNode &&
    a.errors.annotation === b.errors.annotation
  );
}

function partOf(
  node: Node,
  target: PoolTarget,
  { ready, fails }: { readonly ready: boolean; readonly fails: boolean },
): Part {
  if (isTargeted(node, target)) return fails && ready ? 'failing' : 'none';
  if (isWithoutDaemon(node)) return 'none';
  if (ready) return 'candidate';
  return fails && isCordonedByUs(node) ? 'retryable' : 'none';
}

function degradedMessage(machineConfigNode: MachineConfigNode | undefined): string {
  const condition = machineConfigNode && conditionOf(machineConfigNode, 'NodeDegraded');
  return condition?.status === 'True' ? condition.message : '';
}
