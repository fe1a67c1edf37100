/**
 * The state of a node by its annotations and conditions. Every other decision of a rollout uses these predicates.
 *
 * The annotations show what the daemon is doing, the conditions whether the node is ready. A node is unavailable if it is
 * not ready, or is being updated; one whose update failed but that is still ready is available, so that it can be sent to
 * another configuration.
 */

import { annotations, labels } from '../api/index.ts';
import { objectsAt, stringAt, valueAt } from '../base/json-fields.ts';
import { parseTimestamp } from '../base/text/index.ts';
import { annotationOf, conditionsOf, labelOf, nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';

/** The relevant conditions with their healthy value. Absent ones count as healthy, all others are ignored. */
const HEALTHY: ReadonlyMap<string, { readonly status: string; readonly called: string }> = new Map([
  ['Ready', { status: 'True', called: 'NotReady' }],
  ['DiskPressure', { status: 'False', called: 'OutOfDisk' }],
  ['NetworkUnavailable', { status: 'False', called: 'NetworkUnavailable' }],
]);

/** Why the node is not ready; `undefined` where it is. The first reason counts, in the order of its conditions. */
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

/** Whether the daemon reports that the node has its desired configuration. */
export function isDone(node: Node): boolean {
  const current = annotationOf(node, annotations.currentConfig) ?? '';
  const desired = annotationOf(node, annotations.desiredConfig) ?? '';
  return current !== '' && current === desired && hasDesiredImage(node) && stateOf(node) === 'Done';
}

/** Absent differs from empty here: one image annotation without the other is an unfinished update. */
function hasDesiredImage(node: Node): boolean {
  const current = annotationOf(node, annotations.currentImage);
  const desired = annotationOf(node, annotations.desiredImage);
  if (current === undefined && desired === undefined) return true;
  return current !== undefined && current !== '' && current === desired;
}

/**
 * Whether the daemon failed to update to another configuration or image. A node with configuration drift (its desired
 * configuration is its current one) does not count: another target would not help it.
 */
export function isFailing(node: Node): boolean {
  return isDegraded(node) && isUpdating(node);
}

function isUpdating(node: Node): boolean {
  const isSame = (current: string, desired: string) =>
    (annotationOf(node, current) ?? '') === (annotationOf(node, desired) ?? '');
  return (
    !isSame(annotations.currentConfig, annotations.desiredConfig) ||
    !isSame(annotations.currentImage, annotations.desiredImage)
  );
}

/** Whether the daemon reports an error. */
export function isDegraded(node: Node): boolean {
  const state = stateOf(node);
  return state === 'Degraded' || state === 'Unreconcilable';
}

export function isUnavailable(node: Node): boolean {
  return !isReady(node) || (!isDone(node) && !isFailing(node) && !isWithoutDaemon(node));
}

/** How long a node may take to join; its daemon has reported by then, or it has none. */
const JOINING_MS = 10 * 60_000;

/**
 * Whether the node serves pods and no daemon of ours has ever reported from it, as where the DaemonSet does not select it.
 * Nothing of ours happens on such a node, so it must not hold up the others. Its age is that of its last heartbeat: so
 * the answer depends on the Node alone, and changes only with an event of it.
 */
export function isWithoutDaemon(node: Node): boolean {
  if (isManaged(node) || stateOf(node) !== undefined || !isReady(node)) return false;
  const createdMs = parseTimestamp(stringAt(node, 'metadata', 'creationTimestamp'));
  const ready = objectsAt(node.status, 'conditions').find(({ type }) => type === 'Ready');
  const heartbeatMs = parseTimestamp(ready?.lastHeartbeatTime);
  return createdMs !== undefined && heartbeatMs !== undefined && heartbeatMs - createdMs >= JOINING_MS;
}

/** Nodes without the label run Linux. */
export function isWindows(node: Node): boolean {
  return labelOf(node, labels.os) === 'windows';
}

/** Whether the node has a machine config daemon. */
export function isManaged(node: Node): boolean {
  return !isWindows(node) && (annotationOf(node, annotations.currentConfig) ?? '') !== '';
}

function stateOf(node: Node): string | undefined {
  return annotationOf(node, annotations.state);
}
