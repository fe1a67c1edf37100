/**
 * What one node means to its pool: to its counts, its conditions, and the choice of the next nodes.
 *
 * It depends on the node, its MachineConfigNode and the pool's target alone, never on other nodes. So a pool is the sum of
 * its nodes, and a change of one changes the sum by one (`PoolTally`).
 */

import { annotations, type MachineConfigNode } from '../api/index.ts';
import { objectsAt } from '../base/json-fields.ts';
import { annotationOf, conditionOf, nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { isCordonedByUs } from './drain-state.ts';
import { isDegraded, isFailing, isReady, isUnavailable } from './node-state.ts';
import { isTargeted, isUpdated, type PoolTarget } from './pool-target.ts';
import { hasStaleTaint } from './taints.ts';
import { type OrderKey, orderKeyOf } from './target-order.ts';

export type Contribution = {
  readonly name: string;
  readonly node: Node;
  /** The node has arrived at the target. */
  readonly isUpdated: boolean;
  /** It has arrived and takes work. */
  readonly isReady: boolean;
  readonly isUnavailable: boolean;
  /** Its daemon says that something is wrong. */
  readonly isDegraded: boolean;
  /** Every pinned image set that it knows of is complete. */
  readonly hasPinnedImages: boolean;
  /** Its taints do not say whether it waits for the target. */
  readonly hasStaleTaint: boolean;
  readonly part: Part;
  readonly order: OrderKey;
  /** What is wrong, in the words of its MachineConfigNode and of its annotation; empty where nothing is said. */
  readonly complaints: { readonly ofMachineConfigNode: string; readonly ofAnnotation: string };
};

/**
 * What the node is to the choice of the next ones. `candidate`: it may be sent to the target if there is room.
 * `in-own-slot`: it is out of service by our own doing and may be sent on without taking room from others. `failing`:
 * it was sent to the target and fails, so it takes room although it is in service. `none`: nothing of that.
 */
type Part = 'candidate' | 'in-own-slot' | 'failing' | 'none';

export function contributionOf(
  node: Node,
  target: PoolTarget,
  machineConfigNode?: MachineConfigNode,
): Contribution {
  const takesWork = isReady(node);
  const fails = isFailing(node);
  const hasArrived = isUpdated(node, target);
  const degraded = isDegraded(node);
  return {
    name: nameOf(node),
    node,
    isUpdated: hasArrived,
    isReady: hasArrived && takesWork,
    isUnavailable: isUnavailable(node),
    isDegraded: degraded,
    hasPinnedImages: machineConfigNode !== undefined && hasAllPinnedImages(machineConfigNode),
    hasStaleTaint: hasStaleTaint(node, target),
    part: partOf(node, target, { takesWork, fails }),
    order: orderKeyOf(node, { isBroken: fails }),
    complaints: {
      ofMachineConfigNode: degraded ? complaintOf(machineConfigNode) : '',
      ofAnnotation: degraded ? (annotationOf(node, annotations.reason) ?? '') : '',
    },
  };
}

/** Whether two contributions of one node lead to the same decisions. Heartbeats do, and most events of nodes are those. */
export function isSameContribution(a: Contribution, b: Contribution): boolean {
  return (
    a.isUpdated === b.isUpdated &&
    a.isReady === b.isReady &&
    a.isUnavailable === b.isUnavailable &&
    a.isDegraded === b.isDegraded &&
    a.hasPinnedImages === b.hasPinnedImages &&
    a.hasStaleTaint === b.hasStaleTaint &&
    a.part === b.part &&
    a.order.isBroken === b.order.isBroken &&
    a.order.zone === b.order.zone &&
    a.order.created === b.order.created &&
    a.complaints.ofMachineConfigNode === b.complaints.ofMachineConfigNode &&
    a.complaints.ofAnnotation === b.complaints.ofAnnotation
  );
}

function partOf(
  node: Node,
  target: PoolTarget,
  { takesWork, fails }: { readonly takesWork: boolean; readonly fails: boolean },
): Part {
  if (isTargeted(node, target)) return fails && takesWork ? 'failing' : 'none';
  if (takesWork) return 'candidate';
  return fails && isCordonedByUs(node) ? 'in-own-slot' : 'none';
}

function hasAllPinnedImages(machineConfigNode: MachineConfigNode): boolean {
  return objectsAt(machineConfigNode.status, 'pinnedImageSets').every(
    ({ desiredGeneration, currentGeneration }) =>
      typeof desiredGeneration === 'number' &&
      desiredGeneration > 0 &&
      currentGeneration === desiredGeneration,
  );
}

function complaintOf(machineConfigNode: MachineConfigNode | undefined): string {
  const condition = machineConfigNode && conditionOf(machineConfigNode, 'NodeDegraded');
  return condition?.status === 'True' ? condition.message : '';
}
