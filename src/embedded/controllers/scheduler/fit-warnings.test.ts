import { describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/support/a-pod.ts';
import { FitWarnings } from './fit-warnings.ts';
import { podInfoOf } from './pod-info.ts';

const settings = { unschedulableWarningMs: 10_000, firstNodeMs: 60_000 };

function warnings(nodes = 1) {
  const clock = { now: 1_000_000, monotonic: () => clock.now };
  const fit = new FitWarnings({ clock, settings });
  for (let index = 0; index < nodes; index++) fit.onNode('joined');
  return { clock, fit };
}
const pod = podInfoOf(aPod('p'));

describe('the warning about an unschedulable pod', () => {
  it('is due once the pod has been unschedulable for a while, and only once', () => {
    const { clock, fit } = warnings();
    expect(fit.waitMs(pod, 'full')).toBe(10_000);
    clock.now += 9_000;
    expect(fit.waitMs(pod, 'full')).toBe(1_000);
    clock.now += 1_000;
    expect([fit.waitMs(pod, 'full'), fit.waitMs(pod, 'full')]).toEqual([0, undefined]);
  });

  it('is due at once for another message after that', () => {
    const { clock, fit } = warnings();
    fit.waitMs(pod, 'full');
    clock.now += 60_000;
    expect([fit.waitMs(pod, 'full'), fit.waitMs(pod, 'cordoned')]).toEqual([0, 0]);
  });

  it('waits while nodes join', () => {
    const { clock, fit } = warnings(0);
    expect(fit.waitMs(pod, 'no nodes')).toBe(60_000);
    clock.now += 30_000;
    fit.onNode('joined');
    expect(fit.waitMs(pod, 'not ready')).toBe(10_000);
    clock.now += 5_000;
    fit.onNode('joined');
    expect(fit.waitMs(pod, 'not ready')).toBe(10_000);
  });

  it('is due after a minute where there is no node', () => {
    const { clock, fit } = warnings();
    fit.onNode('left');
    fit.waitMs(pod, 'no nodes');
    clock.now += 60_000;
    expect(fit.waitMs(pod, 'no nodes')).toBe(0);
  });

  it('begins anew for another pod of the same name, and for one that was bound', () => {
    const { clock, fit } = warnings();
    fit.waitMs(pod, 'full');
    clock.now += 10_000;
    expect(fit.waitMs({ ...pod, uid: 'another' }, 'full')).toBe(10_000);
    fit.forget(pod.key);
    expect(fit.waitMs(pod, 'full')).toBe(10_000);
  });
});
