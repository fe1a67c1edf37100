import { describe, expect, it } from 'vitest';
import { aRefusal, Fleet } from '../../../../test/support/a-fleet.ts';
import { anObject, foundIn, needs, texts } from '../../../../test/support/doctor-facts.ts';
import type { DrainRecord } from '../../../rollout/index.ts';
import { drainBlocked } from './drain-blocked.ts';

/** A drain that has been refused for so long. */
function refused(seconds: number, record: Partial<DrainRecord> = {}): Fleet {
  const fleet = new Fleet().pool('worker', 2);
  fleet.send('worker-0');
  fleet.report('worker-0', { kind: 'update-found' });
  fleet.drain('worker-0', { lastRefusal: aRefusal, refusedSinceMs: fleet.nowMs, ...record });
  return fleet.pass(seconds);
}

const budget = (status: object) => anObject('PodDisruptionBudget', 'web', { status }, { namespace: 'shop' });
const EXHAUSTED = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 };
const NEVER = { ...EXHAUSTED, expectedPods: 1 };

describe('a refused eviction', () => {
  it('is work in progress until an attempt has failed: a replacement may be starting', () => {
    expect(foundIn(drainBlocked, refused(60), budget(EXHAUSTED))).toEqual([]);
    const failed = refused(6, { lastError: 'global timeout reached' });
    expect(texts(foundIn(drainBlocked, failed, budget(EXHAUSTED)))).toEqual([
      'DrainBlocked: the drain of node worker-0 is blocked: PodDisruptionBudget web allows no eviction of pod shop/web-0',
    ]);
  });

  it('by a budget that can never allow it is named after five seconds', () => {
    expect(foundIn(drainBlocked, refused(1), budget(NEVER))).toEqual([]);
    const [finding] = foundIn(drainBlocked, refused(5), budget(NEVER));
    expect(finding?.cause).toMatch(/, and can never allow one$/);
    expect(finding?.evidence.at(-1)).toMatchObject({
      object: { kind: 'PodDisruptionBudget', name: 'web', namespace: 'shop' },
      value: '0; healthy: 1 of 1, desired: 1',
    });
  });

  it('is named without the budget, where that cannot be read', () => {
    expect(foundIn(drainBlocked, refused(9, { attempts: 2 }))).toMatchObject([{ code: 'DrainBlocked' }]);
  });

  it('of a pod with several budgets, or by something else, has its own code', () => {
    const message =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    const several = refused(5, { lastRefusal: { ...aRefusal, budget: 'a, b', message } });
    expect(texts(foundIn(drainBlocked, several))[0]).toMatch(
      /^SeveralBudgets: .*several PodDisruptionBudgets \(a, b\)/,
    );
    const webhook = refused(5, {
      lastRefusal: { namespace: 'shop', pod: 'web-0', message: 'denied by a webhook' },
    });
    expect(texts(foundIn(drainBlocked, webhook))[0]).toMatch(/^EvictionRefused: .*: denied by a webhook$/);
  });

  it('for more than an hour says so', () => {
    const fleet = refused(10, { lastError: 'x', spentMs: 61 * 60_000 });
    expect(texts(foundIn(drainBlocked, fleet))[0]).toMatch(/is blocked for more than 1 hour: /);
  });
});

describe('a pod that should have ended', () => {
  const pod = (deletedBefore: number, fleet: Fleet, finalizers?: readonly string[]) =>
    anObject(
      'Pod',
      'db-0',
      { spec: { nodeName: 'worker-0' } },
      {
        ...{ namespace: 'shop', ...(finalizers && { finalizers }) },
        deletionTimestamp: new Date(fleet.nowMs - deletedBefore * 1000).toISOString(),
      },
    );
  const failed = () => {
    const fleet = new Fleet().pool('worker', 2);
    fleet.send('worker-0');
    fleet.report('worker-0', { kind: 'update-found' });
    fleet.drain('worker-0', { lastError: 'error when waiting for pod "db-0" to terminate' });
    return fleet.pass(120);
  };

  it('is named a minute after its grace period, with the finalizer that keeps it', () => {
    const fleet = failed();
    expect(foundIn(drainBlocked, fleet, pod(59, fleet))).toEqual([]);
    expect(texts(foundIn(drainBlocked, fleet, pod(60, fleet, ['example.com/backup'])))).toEqual([
      'PodNotTerminating: the drain of node worker-0 waits for pod shop/db-0, which should have ended: finalizer example.com/backup keeps it',
    ]);
    expect(texts(foundIn(drainBlocked, fleet, pod(60, fleet)))[0]).toMatch(/the kubelet does not end it$/);
  });

  it('is looked for only on nodes whose drain has failed', () => {
    const fleet = failed();
    const looking = { nowMs: fleet.nowMs };
    expect(needs(drainBlocked, fleet.objects(), looking)).toMatchObject([
      { fieldSelector: 'spec.nodeName=worker-0' },
    ]);
    const draining = new Fleet().pool('worker', 2);
    draining.send('worker-0');
    draining.report('worker-0', { kind: 'update-found' });
    draining.drain('worker-0');
    expect(needs(drainBlocked, draining.objects(), looking)).toEqual([]);
  });

  it('is not looked for where a budget refuses: the budgets of its namespace are', () => {
    const fleet = refused(1);
    expect(needs(drainBlocked, fleet.objects(), { nowMs: fleet.nowMs })).toMatchObject([
      { kind: { kind: 'PodDisruptionBudget' }, namespace: 'shop' },
    ]);
  });
});
