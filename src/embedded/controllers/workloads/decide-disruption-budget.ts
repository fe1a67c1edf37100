/**
 * PodDisruptionBudget: how many of its pods may be evicted now; none if that is unknown.
 */

import { formatTimestamp, parseTimestamp } from '../../../base/text/index.ts';
import type {
  Condition,
  Pod,
  PodDisruptionBudget,
  PodDisruptionBudgetStatus,
} from '../../../kubernetes/types/index.ts';
import { amountOf } from './amounts.ts';
import { controllerOf } from './ownership.ts';
import { isReady } from './pod-state.ts';

type BudgetSeen = {
  readonly budget: PodDisruptionBudget;
  /** The selected pods. */
  readonly pods: readonly Pod[];
  /** The desired scale of the controller of a pod, or why it is unknown. */
  readonly scaleOf: (pod: Pod) => Scale;
  readonly nowMs: number;
  /** How long an allowed eviction counts as disrupted. */
  readonly evictionLimitMs: number;
};

/** `uid` is that of the controller, which several pods may share. */
export type Scale =
  | { readonly kind: 'known'; readonly uid: string; readonly replicas: number }
  | { readonly kind: 'unknown'; readonly why: string };

type BudgetDecision = {
  readonly status: PodDisruptionBudgetStatus;
  readonly lookAgainMs: number | undefined;
};

export function decideDisruptionBudget(seen: BudgetSeen): BudgetDecision {
  const { budget, pods, nowMs } = seen;
  const expected = expectationOf(seen);
  if (expected.kind === 'unknown')
    return { status: failedStatus(seen, expected.why), lookAgainMs: undefined };
  const { disruptedPods, lookAgainMs } = disruptedPodsOf(seen);
  const currentHealthy = pods.filter(
    (pod) => isReady(pod) && !isGoing(pod) && disruptedPods[pod.metadata.name] === undefined,
  ).length;
  const { expectedPods, desiredHealthy } = expected;
  const room = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = budget.metadata.generation ?? 0;
  const condition = {
    status: room > 0 ? 'True' : 'False',
    reason: room > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration,
  };
  const status = {
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    disruptionsAllowed: room,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    observedGeneration,
    conditions: withCondition(budget, condition, nowMs),
  };
  return { status, lookAgainMs };
}

type Expectation =
  | { readonly kind: 'known'; readonly expectedPods: number; readonly desiredHealthy: number }
  | { readonly kind: 'unknown'; readonly why: string };

/** An absolute number needs no scale. Percentages refer to the scale of the controllers. */
function expectationOf(seen: BudgetSeen): Expectation {
  const { minAvailable, maxUnavailable } = seen.budget.spec;
  if (maxUnavailable === undefined && typeof minAvailable !== 'string') {
    return { kind: 'known', expectedPods: seen.pods.length, desiredHealthy: minAvailable ?? 0 };
  }
  const whole = wholeOf(seen);
  if (whole.kind === 'unknown') return whole;
  const { expectedPods } = whole;
  const round = (value: number | string | undefined): number =>
    amountOf(value, { total: expectedPods, rounding: 'up' });
  const desiredHealthy =
    maxUnavailable === undefined ? round(minAvailable) : Math.max(0, expectedPods - round(maxUnavailable));
  return { kind: 'known', expectedPods, desiredHealthy };
}

type Whole =
  | { readonly kind: 'known'; readonly expectedPods: number }
  | { readonly kind: 'unknown'; readonly why: string };

/** Pods without a controller do not count, since they would not be replaced. */
function wholeOf({ pods, scaleOf }: BudgetSeen): Whole {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    if (controllerOf(pod) === undefined) continue;
    const scale = scaleOf(pod);
    if (scale.kind === 'unknown') return scale;
    scales.set(scale.uid, scale.replicas);
  }
  return { kind: 'known', expectedPods: [...scales.values()].reduce((sum, one) => sum + one, 0) };
}

type DisruptedPods = NonNullable<PodDisruptionBudgetStatus['disruptedPods']>;

/** Disrupted pods, recorded by the server when it allowed an eviction, until deleted or timed out. */
function disruptedPodsOf({ budget, pods, nowMs, evictionLimitMs }: BudgetSeen): {
  readonly disruptedPods: DisruptedPods;
  readonly lookAgainMs: number | undefined;
} {
  const noted = budget.status?.disruptedPods ?? {};
  const kept = pods.flatMap((pod) => {
    const { name } = pod.metadata;
    const since = Object.hasOwn(noted, name) ? noted[name] : undefined;
    const leftMs = (parseTimestamp(since) ?? 0) + evictionLimitMs - nowMs;
    return since === undefined || isGoing(pod) || leftMs < 0 ? [] : [{ name, since, leftMs }];
  });
  return {
    disruptedPods: Object.fromEntries(kept.map(({ name, since }) => [name, since])),
    // Slightly later, when the limit has certainly passed.
    lookAgainMs: kept.length === 0 ? undefined : Math.min(...kept.map(({ leftMs }) => leftMs)) + 1,
  };
}

function isGoing({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Fails safe: no disruptions are allowed. */
function failedStatus({ budget, nowMs }: BudgetSeen, message: string): PodDisruptionBudgetStatus {
  const before = budget.status;
  const { observedGeneration } = before ?? {};
  const condition = {
    status: 'False',
    reason: 'SyncFailed',
    message,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
  return {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...before,
    disruptionsAllowed: 0,
    conditions: withCondition(budget, condition, nowMs),
  };
}

const TYPE = 'DisruptionAllowed';

function withCondition(
  { status }: PodDisruptionBudget,
  condition: Omit<Condition, 'type' | 'lastTransitionTime'>,
  nowMs: number,
): readonly Condition[] {
  const conditions = status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === TYPE);
  const isSame = before?.status === condition.status;
  const lastTransitionTime = isSame ? before.lastTransitionTime : formatTimestamp(nowMs);
  const renewed = { type: TYPE, ...condition, lastTransitionTime };
  if (before === undefined) return [...conditions, renewed];
  return conditions.map((one) => (one === before ? renewed : one));
}
