/**
 * The finalization of a CRD: a finalizer keeps it until its custom resources are deleted.
 *
 *     deleted → pending → in progress → completed, and the finalizer is removed
 *                                     ↘ failed, and retried
 *
 * A CRD that was never established has no objects and goes from `in progress` to `never established`.
 */

import { unreachable } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { type ConditionText, withCondition } from './conditions.ts';
import { crdToObject, toCrd } from './crd.ts';

export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

type DeletionPhase =
  | { readonly kind: 'pending' }
  | { readonly kind: 'in progress' }
  | { readonly kind: 'completed' }
  | { readonly kind: 'never established' }
  /** `what` failed, such as `could not list instances`. */
  | { readonly kind: 'failed'; readonly what: string; readonly why: string };

/** The CRD with deletion timestamp and finalizer; unchanged if it is already being deleted. */
export function markDeleted(object: JsonObject, now: string): JsonObject {
  const crd = toCrd(object);
  if (crd.metadata.deletionTimestamp !== undefined) return object;
  const finalizers = crd.metadata.finalizers ?? [];
  const metadata = {
    ...crd.metadata,
    deletionTimestamp: now,
    finalizers: finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER],
  };
  return withDeletionPhase(crdToObject({ ...crd, metadata }), { kind: 'pending' }, now);
}

/** Whether objects can no longer be created because the CRD is being deleted. */
export function isTerminating(object: JsonObject): boolean {
  const conditions = toCrd(object).status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'Terminating' && status === 'True');
}

export function withDeletionPhase(object: JsonObject, phase: DeletionPhase, now: string): JsonObject {
  const crd = withCondition(toCrd(object), conditionFor(phase), now);
  if (phase.kind !== 'completed' && phase.kind !== 'never established') return crdToObject(crd);
  const { finalizers = [], ...metadata } = crd.metadata;
  const left = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  return crdToObject({
    ...crd,
    metadata: left.length === 0 ? metadata : { ...metadata, finalizers: left },
  });
}

function conditionFor(phase: DeletionPhase): ConditionText {
  const terminating = (status: string, reason: string, message: string): ConditionText => ({
    type: 'Terminating',
    status,
    reason,
    message,
  });
  switch (phase.kind) {
    case 'pending': {
      const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
      return terminating('True', 'InstanceDeletionPending', message);
    }
    case 'in progress':
      return terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
    case 'completed':
      return terminating('False', 'InstanceDeletionCompleted', 'removed all instances');
    case 'never established':
      return terminating('False', 'NeverEstablished', 'resource was never established');
    case 'failed':
      return terminating('True', 'InstanceDeletionFailed', `${phase.what}: ${phase.why}`);
    default:
      return unreachable(phase);
  }
}
