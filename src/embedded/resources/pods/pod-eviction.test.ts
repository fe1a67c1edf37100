/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import type { StatusDetails } from '../../../kubernetes/types/index.ts';
import { badRequest, statusError, unknownError } from '../../status/index.ts';
import { decideEviction, type EvictionDecision } from './pod-eviction.ts';

const now = '2024-01-02T03:04:05Z';
const pod = (status: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a', namespace: 'space', labels: { app: 'x' }, ...metadata },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...status },
});
const budget = (status: JsonObject = {}, spec: JsonObject = {}, name = 'budget'): JsonObject => ({
  metadata: { name, namespace: 'space', generation: 1 },
  spec: { selector: { matchLabels: { app: 'x' } }, ...spec },
  status: { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, ...status },
});
const evicted = (one: JsonObject, ...budgets: readonly JsonObject[]): EvictionDecision =>
  decideEviction({ pod: one, eviction: { metadata: { name: 'a' } }, budgets, now });
const tooManyRequests = (cause: string, details: StatusDetails = {}) =>
  statusError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message: cause }], ...details },
  }).status;

describe('decideEviction', () => {
  it('rejects an Eviction of another pod', () => {
    const eviction = { metadata: { name: 'b' } };
    const { status } = badRequest('name in URL does not match name in Eviction object');
    expect(decideEviction({ pod: pod(), eviction, budgets: [], now })).toHaveProperty('status', status);
  });

  it('rejects if the budget allows no disruption', () => {
    expect(evicted(pod(), budget())).toHaveProperty(
      'status',
      tooManyRequests('The disruption budget budget needs 1 healthy pods and has 1 currently'),
    );
  });

  it('rejects with a retry time if the budget was not observed yet', () => {
    const cause = 'The disruption budget budget is still being processed by the server.';
    expect(evicted(pod(), budget({ observedGeneration: 0, disruptionsAllowed: 1 }))).toHaveProperty(
      'status',
      tooManyRequests(cause, { retryAfterSeconds: 10 }),
    );
  });

  it('rejects if two budgets match the pod', () => {
    const { status } = unknownError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
    expect(evicted(pod(), budget(), budget({}, {}, 'second'))).toHaveProperty('status', status);
  });

  it.each<[string, JsonObject]>([
    [
      'of another namespace',
      { ...budget(), metadata: { name: 'budget', namespace: 'other', generation: 1 } },
    ],
    ['that does not match', budget({}, { selector: { matchLabels: { app: 'y' } } })],
  ])('ignores a budget %s', (_, other) => {
    expect(evicted(pod(), other)).toMatchObject({ kind: 'evict' });
    expect(evicted(pod(), other)).not.toHaveProperty('budget');
  });

  it.each<[string, JsonObject]>([
    ['waits', pod({ phase: 'Pending' })],
    ['has finished', pod({ phase: 'Failed' })],
    ['is being deleted', pod({}, { deletionTimestamp: now })],
  ])('needs no budget for a pod that %s', (_, one) => {
    expect(evicted(one, budget())).toMatchObject({ kind: 'evict' });
  });

  it('evicts an unready pod if enough others are healthy or the budget allows it', () => {
    const unready = pod({ conditions: [{ type: 'Ready', status: 'False' }] });
    expect(evicted(unready, budget())).toMatchObject({ kind: 'evict' });
    expect(evicted(unready, budget({ currentHealthy: 0 }))).toMatchObject({ kind: 'error' });
    expect(evicted(unready, budget({ desiredHealthy: 0 }))).toMatchObject({ kind: 'error' });
    const always = { unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    expect(evicted(unready, budget({ currentHealthy: 0 }, always))).toMatchObject({ kind: 'evict' });
  });

  it('decrements the allowed disruptions of the budget', () => {
    const decision = evicted(pod(), budget({ disruptionsAllowed: 2, disruptedPods: { b: 'then' } }));
    expect(decision).toMatchObject({
      budget: { status: { disruptionsAllowed: 1, disruptedPods: { a: now, b: 'then' } } },
    });
    expect(decision).not.toHaveProperty('budget.status.conditions');
  });

  it('sets the DisruptionAllowed condition to False with the last allowed disruption', () => {
    expect(evicted(pod(), budget({ disruptionsAllowed: 1 }))).toMatchObject({
      budget: {
        status: {
          disruptionsAllowed: 0,
          conditions: [
            {
              type: 'DisruptionAllowed',
              status: 'False',
              observedGeneration: 1,
              lastTransitionTime: now,
              reason: 'InsufficientPods',
              message: '',
            },
          ],
        },
      },
    });
  });

  it('sets the DisruptionTarget condition of the pod', () => {
    expect(evicted(pod())).toMatchObject({
      pod: {
        status: {
          conditions: [
            { type: 'Ready', status: 'True' },
            {
              type: 'DisruptionTarget',
              status: 'True',
              lastProbeTime: null,
              lastTransitionTime: now,
              reason: 'EvictionByEvictionAPI',
              message: 'Eviction API: evicting',
            },
          ],
        },
      },
    });
  });
});
