/**
 * What a node's own words and conditions say about it. Every other decision of a rollout rests on these predicates.
 *
 * The annotations tell what the daemon is doing, the conditions whether the node can take work. A node is unavailable if
 * it cannot take work, or is on its way to another configuration; one whose daemon failed on the way but that still
 * takes work is not, so that it can be sent elsewhere.
 */

import { annotations, labels } from '../api/index.ts';
import { valueAt } from '../base/json-fields.ts';
import { annotationOf, conditionsOf, labelOf, nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';

/** The conditions that matter, with the value that is good. Absent ones count as good, all others are ignored. */
const HEALTHY: ReadonlyMap<string, { readonly status: string; readonly called: string }> = new Map([
  ['Ready', { status: 'True', called: 'NotReady' }],
  ['DiskPressure', { status: 'False', called: 'OutOfDisk' }],
  ['NetworkUnavailable', { status: 'False', called: 'NetworkUnavailable' }],
]);

/** Why the node cannot take work; `undefined` where it can. The first reason counts, in the order of its conditions. */
export function unreadyReason(node: Node): string | undefined {
  for (const { type, status } of conditionsOf(node)) {
    const healthy = HEALTHY.get(type);
    if (healthy !== undefined && status !== healthy.status) {
      return `node ${nameOf(node)} is reporting ${healthy.called}=${status}`;
    }
  }
  return isCordoned(node) ? `node ${nameOf(node)} is reporting Unschedulable` : undefined;
}

export function isReady(node: Node): boolean {
  return unreadyReason(node) === undefined;
}

export function isCordoned(node: Node): boolean {
  return valueAt(node.spec, 'unschedulable') === true;
}

/** Whether the daemon says that the node has reached what is desired of it. */
export function isDone(node: Node): boolean {
  const current = annotationOf(node, annotations.currentConfig) ?? '';
  const desired = annotationOf(node, annotations.desiredConfig) ?? '';
  return current !== '' && current === desired && hasDesiredImage(node) && stateOf(node) === 'Done';
}

/** Absent is not the same as empty here: an image key that stands alone is a move that has not ended. */
function hasDesiredImage(node: Node): boolean {
  const current = annotationOf(node, annotations.currentImage);
  const desired = annotationOf(node, annotations.desiredImage);
  if (current === undefined && desired === undefined) return true;
  return current !== undefined && current !== '' && current === desired;
}

/**
 * Whether the daemon failed on the way to another configuration or image. A node that drifted from where it stands
 * (nothing else is desired of it) does not fail in this sense: another target would not help it.
 */
export function isFailing(node: Node): boolean {
  return isDegraded(node) && isUnderWay(node);
}

function isUnderWay(node: Node): boolean {
  const isSame = (current: string, desired: string) =>
    (annotationOf(node, current) ?? '') === (annotationOf(node, desired) ?? '');
  return (
    !isSame(annotations.currentConfig, annotations.desiredConfig) ||
    !isSame(annotations.currentImage, annotations.desiredImage)
  );
}

/** Whether the daemon says that something is wrong. */
export function isDegraded(node: Node): boolean {
  const state = stateOf(node);
  return state === 'Degraded' || state === 'Unreconcilable';
}

export function isUnavailable(node: Node): boolean {
  return !isReady(node) || (!isDone(node) && !isFailing(node));
}

/** Nodes without the label run Linux. */
export function isWindows(node: Node): boolean {
  return labelOf(node, labels.os) === 'windows';
}

/** Whether a daemon of ours has spoken for the node. */
export function isManaged(node: Node): boolean {
  return !isWindows(node) && (annotationOf(node, annotations.currentConfig) ?? '') !== '';
}

function stateOf(node: Node): string | undefined {
  return annotationOf(node, annotations.state);
}
