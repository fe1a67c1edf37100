import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { systemClock } from '../../base/env.ts';
import { watchKubeletHealth } from './kubelet-health.ts';

it('checks of the kubelet leave no listener behind, however many there are', async () => {
  const stopping = new AbortController();
  const clock = {
    ...systemClock,
    after: (_: number, call: () => void) => {
      const timer = setImmediate(call);
      return { cancel: () => clearImmediate(timer) };
    },
  };
  const counts: number[] = [];
  await new Promise<void>((resolve) => {
    watchKubeletHealth({
      env: { clock, signal: stopping.signal },
      // Nothing listens there.
      endpoint: 'http://127.0.0.1:1/healthz',
      warn: () => undefined,
      onFailureCount: (failures) => {
        counts.push(failures);
        if (failures === 15) setTimeout(resolve);
      },
    });
  });
  expect(counts.slice(0, 15)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  expect(getEventListeners(stopping.signal, 'abort').length).toBe(1);
  stopping.abort();
});
