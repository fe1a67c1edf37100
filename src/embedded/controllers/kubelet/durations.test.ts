import { describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/support/a-pod.ts';
import { nodeSettings } from '../node-settings.ts';
import { bootDigits } from './containers.ts';
import { crashText, podEndMs, podRunMs, readyDelayMs, startDelayMs } from './durations.ts';
import { type PodContext, podStep } from './pod-step.ts';

const contextOf = (uid: string, settings = nodeSettings()): PodContext => {
  const pod = aPod('p', {}, { uid });
  const step = podStep(pod, bootDigits('boot'));
  const scene = { pod, step, settings, nowMs: 0, sinceMs: 0, isFirstLook: true, boot: '', hostIP: '' };
  return { ...scene, freeIP: () => '' };
};
const started = (uid: string, settings = nodeSettings()) => startDelayMs(contextOf(uid, settings));

describe('durations of pods', () => {
  it('have deterministic, bounded jitter for the start', () => {
    const delays = Array.from({ length: 500 }, (_, index) => started(`uid-${index}`));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(2400);
    expect(Math.max(...delays)).toBeLessThanOrEqual(3600);
    expect(new Set(delays).size).toBeGreaterThan(300);
    expect(started('uid-7')).toBe(delays[7]);
  });

  it('are divided by the speed, also those of annotations', () => {
    const fast = nodeSettings({ speed: 10 });
    const pod = aPod(
      'p',
      { containers: [{ name: 'app', readinessProbe: { initialDelaySeconds: 5 } }] },
      {
        deletionGracePeriodSeconds: 30,
        annotations: {
          'millwright.dev/simulated-termination-seconds': '20',
          'millwright.dev/simulated-run-seconds': '7',
        },
      },
    );
    expect(started('uid-1', fast)).toBeCloseTo(started('uid-1') / 10, -1);
    expect([
      podEndMs(pod, fast),
      podRunMs(pod, fast),
      readyDelayMs(pod, 'app', fast),
      readyDelayMs(pod, 'other', fast),
    ]).toEqual([{ endMs: 2000, isKilled: false }, 700, 500, 0]);
  });
});

describe('the message of a crash', () => {
  it.each([
    [1, 1, '10s'],
    [1, 4, '1m20s'],
    [1, 9, '5m0s'],
    [10, 1, '1s'],
    [4, 1, '2.5s'],
    [100, 2, '200ms'],
  ])('says the delay in force: at speed %d after %d restarts %s', (speed, restartCount, delay) => {
    const status = { name: 'app', image: 'i', imageID: '', ready: false, restartCount };
    expect(crashText(contextOf('u', nodeSettings({ speed })), status)).toBe(
      `back-off ${delay} restarting failed container=app pod=p_default(u)`,
    );
  });
});

describe('settings', () => {
  it('do not divide leases, heartbeats, grace periods and the patience of people by the speed', () => {
    const [usual, fast] = [nodeSettings(), nodeSettings({ speed: 100 })];
    const same = Object.entries(usual)
      .filter(([name, value]) => Object.entries(fast).some(([other, is]) => other === name && is === value))
      .map(([name]) => name);
    expect(same.toSorted()).toEqual([
      'firstNodeMs',
      'leaseDurationSeconds',
      'leaseRenewMs',
      'nodeGraceMs',
      'nodeStartupGraceMs',
      'orphanPodMs',
      'podJitter',
      'statusReportMs',
      'unschedulableWarningMs',
    ]);
    expect([usual.podStartMs, fast.podStartMs, fast.nodeGraceMs]).toEqual([1000, 10, 40_000]);
  });
});
