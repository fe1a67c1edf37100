/**
 * The taint of nodes that wait for a newer configuration: new pods prefer nodes that will not be drained soon.
 *
 * Every node of the pool that has a daemon and has not been sent to the target has it. It is removed once the node is sent: from then on the
 * cordon keeps pods away.
 */

import { annotations, taints } from '../api/index.ts';
import { objectsAt, optionalStringAt } from '../base/json-fields.ts';
import { annotationOf } from '../kubernetes/meta/index.ts';
import type { Node, Taint } from '../kubernetes/types/index.ts';
import { isManaged } from './node-state.ts';
import { isTargeted, type PoolTarget } from './pool-target.ts';

const { key, effect } = taints.updateInProgress;

/** The taints that the node should have; `undefined` where it has them. Other taints stay, in their order. */
export function taintsFor(node: Node, target: PoolTarget): readonly Taint[] | undefined {
  if (!hasStaleTaint(node, target)) return undefined;
  const present: readonly Taint[] = Array.isArray(node.spec?.taints) ? node.spec.taints : [];
  return isWaiting(node, target)
    ? [...present, { key, effect }]
    : present.filter((taint) => !isUpdateTaint(taint));
}

/** The taints of a node that is being sent; `undefined` where that changes none of them. */
export function taintsWhenSent(node: Node): readonly Taint[] | undefined {
  const present: readonly Taint[] = Array.isArray(node.spec?.taints) ? node.spec.taints : [];
  return present.some(isUpdateTaint) ? present.filter((taint) => !isUpdateTaint(taint)) : undefined;
}

export function hasStaleTaint(node: Node, target: PoolTarget): boolean {
  const hasTaint = objectsAt(node.spec, 'taints').some(isUpdateTaint);
  return hasTaint !== isWaiting(node, target);
}

/** A node in image mode has both image annotations, and sending it out of image mode removes one of them. */
function isWaiting(node: Node, target: PoolTarget): boolean {
  if (!isManaged(node)) return false;
  if (target.layered !== undefined) return !isTargeted(node, target);
  const hasBothImages =
    annotationOf(node, annotations.currentImage) !== undefined &&
    annotationOf(node, annotations.desiredImage) !== undefined;
  return (annotationOf(node, annotations.desiredConfig) ?? '') !== target.config || hasBothImages;
}

/** By key and effect, whatever its value. */
function isUpdateTaint(taint: unknown): boolean {
  return optionalStringAt(taint, 'key') === key && optionalStringAt(taint, 'effect') === effect;
}
