/**
 * The eviction subresource of pods: whether the PodDisruptionBudget allows an eviction.
 */

import type { JsonObject } from '../../../base/json.ts';
import {
  numberAt,
  objectAt,
  objectsAt,
  optionalNumberAt,
  optionalStringAt,
  stringAt,
  stringMapAt,
} from '../../../base/json-fields.ts';
import { matchesSelector } from '../../../kubernetes/meta/index.ts';
import { badRequest, forbidden, type StatusError, statusError, unknownError } from '../../status/index.ts';
import { generationOf, withChangedField } from '../object-edits.ts';
import { withCondition } from '../status-conditions.ts';

type EvictionRequest = {
  readonly pod: JsonObject;
  /** The Eviction that was sent. */
  readonly eviction: JsonObject;
  /** All PodDisruptionBudgets of the namespace. */
  readonly budgets: readonly JsonObject[];
  /** RFC 3339, in whole seconds. */
  readonly now: string;
};

export type EvictionDecision =
  | {
      readonly kind: 'evict';
      /** The pod with its DisruptionTarget condition, to be stored before it is deleted. */
      readonly pod: JsonObject;
      /** The budget with one disruption less, if one applies. */
      readonly budget?: JsonObject;
    }
  | StatusError;

export function decideEviction({ pod, eviction, budgets, now }: EvictionRequest): EvictionDecision {
  if (stringAt(eviction, 'metadata', 'name') !== stringAt(pod, 'metadata', 'name')) {
    return badRequest('name in URL does not match name in Eviction object');
  }
  const evicted = { kind: 'evict', pod: withDisruptionTarget(pod, now) } as const;
  if (isExemptFromBudgets(pod)) return evicted;
  const [budget, second] = budgets.filter((one) => matchesPod(one, pod));
  if (budget === undefined) return evicted;
  if (second !== undefined) {
    return unknownError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  if (!isReady(pod) && allowsUnreadyEviction(budget)) return evicted;
  const error = budgetError(budget);
  return error ?? { ...evicted, budget: withDisruptedPod(budget, stringAt(pod, 'metadata', 'name'), now) };
}

/** Pods that have finished, are pending or are being deleted do not count for a budget. */
function isExemptFromBudgets(pod: JsonObject): boolean {
  const isDeleting = optionalStringAt(pod, 'metadata', 'deletionTimestamp') !== undefined;
  return isDeleting || ['Succeeded', 'Failed', 'Pending'].includes(stringAt(pod, 'status', 'phase'));
}

/** A budget without a selector matches no pods. */
function matchesPod(budget: JsonObject, pod: JsonObject): boolean {
  const isInNamespace = stringAt(budget, 'metadata', 'namespace') === stringAt(pod, 'metadata', 'namespace');
  const selector = objectAt(budget, 'spec', 'selector');
  return isInNamespace && matchesSelector(selector, stringMapAt(pod, 'metadata', 'labels'));
}

function isReady(pod: JsonObject): boolean {
  return objectsAt(pod, 'status', 'conditions').some(
    (condition) => stringAt(condition, 'type') === 'Ready' && stringAt(condition, 'status') === 'True',
  );
}

/**
 * A pod that is not ready can be evicted if enough others are healthy, or if `unhealthyPodEvictionPolicy` allows it.
 */
function allowsUnreadyEviction(budget: JsonObject): boolean {
  if (stringAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const [healthy, desired] = [statusNumber(budget, 'currentHealthy'), statusNumber(budget, 'desiredHealthy')];
  return healthy >= desired && desired > 0;
}

const WOULD_VIOLATE = "Cannot evict pod as it would violate the pod's disruption budget.";
const RETRY_SECONDS = 10;
const MAX_DISRUPTED_PODS = 2000;

function budgetError(budget: JsonObject): StatusError | undefined {
  const name = stringAt(budget, 'metadata', 'name');
  const allowed = statusNumber(budget, 'disruptionsAllowed');
  if (statusNumber(budget, 'observedGeneration') < generationOf(budget)) {
    const cause = `The disruption budget ${name} is still being processed by the server.`;
    return tooManyRequests(cause, RETRY_SECONDS);
  }
  if (allowed < 0) return forbiddenBudget(name, 'pdb disruptions allowed is negative');
  const disrupted = Object.keys(objectAt(budget, 'status', 'disruptedPods') ?? {}).length;
  if (disrupted > MAX_DISRUPTED_PODS) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    return forbiddenBudget(name, why);
  }
  if (allowed > 0) return undefined;
  const [healthy, desired] = [statusNumber(budget, 'currentHealthy'), statusNumber(budget, 'desiredHealthy')];
  return tooManyRequests(
    `The disruption budget ${name} needs ${desired} healthy pods and has ${healthy} currently`,
  );
}

function tooManyRequests(cause: string, retryAfterSeconds?: number): StatusError {
  const causes = [{ reason: 'DisruptionBudget', message: cause }];
  const details = { causes, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  return statusError({ code: 429, reason: 'TooManyRequests', message: WOULD_VIOLATE, details });
}

function forbiddenBudget(name: string, why: string): StatusError {
  return forbidden({ group: 'policy', plural: 'poddisruptionbudget' }, name, why);
}

/** The budget after the eviction, until the disruption controller updates it. */
function withDisruptedPod(budget: JsonObject, podName: string, now: string): JsonObject {
  const allowed = statusNumber(budget, 'disruptionsAllowed') - 1;
  return withChangedField(budget, 'status', (status) => ({
    ...status,
    disruptionsAllowed: allowed,
    disruptedPods: { ...objectAt(status, 'disruptedPods'), [podName]: now },
    ...(allowed === 0 ? { conditions: withCondition(status, noDisruptionsAllowed(status, now)) } : {}),
  }));
}

function noDisruptionsAllowed(status: JsonObject, now: string): JsonObject {
  const observedGeneration = optionalNumberAt(status, 'observedGeneration');
  return {
    type: 'DisruptionAllowed',
    status: 'False',
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: now,
    reason: 'InsufficientPods',
    message: '',
  };
}

function withDisruptionTarget(pod: JsonObject, now: string): JsonObject {
  return withChangedField(pod, 'status', (status) => ({
    ...status,
    conditions: withCondition(status, {
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: now,
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    }),
  }));
}

function statusNumber(budget: JsonObject, field: string): number {
  return numberAt(budget, 'status', field);
}
