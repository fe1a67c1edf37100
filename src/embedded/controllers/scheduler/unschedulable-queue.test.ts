import { describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/support/a-pod.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import { podInfoOf } from './pod-info.ts';
import { SchedulerCache } from './scheduler-cache.ts';
import { UnschedulableQueue } from './unschedulable-queue.ts';

const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' }, spec: {}, status: {} };
const podInfo = podInfoOf(aPod('p', {}, { uid: 'p' }));
const seeking = podInfoOf(
  aPod(
    'q',
    {
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] },
      },
    },
    { uid: 'q' },
  ),
);

function scene() {
  let nowMs = 0;
  const cache = new SchedulerCache();
  const settings = { scheduleRetryMs: 1000, scheduleRetryLimitMs: 3000 };
  const queue = new UnschedulableQueue({ clock: { monotonic: () => nowMs }, settings, cache });
  const woken: (readonly [string, number | undefined])[] = [];
  return {
    cache,
    queue,
    pass: (ms: number) => {
      nowMs += ms;
    },
    wake: () => {
      woken.length = 0;
      queue.wake((key, delayMs) => woken.push([key, delayMs]));
      return [...woken];
    },
    help: () => cache.observeNode({ before: undefined, after: { ...node, metadata: { name: `n${nowMs}` } } }),
    fill: () =>
      cache.observePod({
        before: undefined,
        after: aPod(`x${cache.changes}`, { nodeName: 'a' }, { uid: `x${cache.changes}` }),
      }),
  };
}

describe('an unschedulable pod', () => {
  it('is not retried until something relevant has changed', () => {
    const { queue, wake, fill, help, pass } = scene();
    expect(queue.attempt(podInfo).park()).toEqual({ kind: 'done' });
    expect(wake()).toEqual([]);
    fill();
    expect(wake()).toEqual([]);
    pass(400);
    help();
    expect(wake()).toEqual([['default/p', 600]]);
    help();
    expect(wake()).toEqual([]);
  });

  it('has exponential backoff from the last attempt, up to the limit', () => {
    const { queue, wake, help, pass } = scene();
    const delays: (number | undefined)[] = [];
    for (let attempt = 1; attempt <= 4; attempt++) {
      queue.attempt(podInfo).park();
      pass(1);
      help();
      delays.push(wake()[0]?.[1]);
    }
    expect(delays).toEqual([999, 1999, 2999, 2999]);
  });

  it('is retried at once if its backoff has passed', () => {
    const { queue, wake, help, pass } = scene();
    queue.attempt(podInfo).park();
    pass(60_000);
    help();
    expect(wake()).toEqual([['default/p', 0]]);
  });

  it('does not miss changes during its status update', () => {
    const { queue, help, wake } = scene();
    const attempt = queue.attempt(podInfo);
    help();
    expect(attempt.park()).toMatchObject({ kind: 'after', delayMs: 1000 });
    expect(wake()).toEqual([]);
  });

  it('with pod affinity is retried after any placed pod', () => {
    const { queue, wake, fill } = scene();
    queue.attempt(seeking).park();
    fill();
    expect(wake()).toEqual([['default/q', 1000]]);
  });

  it('starts without backoff under the same name, and is forgotten when deleted', () => {
    const { queue, wake, help, pass } = scene();
    queue.attempt(podInfo).park();
    queue.attempt(podInfo).park();
    queue.attempt({ ...podInfo, uid: 'another' }).park();
    help();
    expect(wake()).toEqual([['default/p', 1000]]);
    queue.attempt(podInfo).park();
    queue.forget('default/p');
    pass(1);
    help();
    expect(wake()).toEqual([]);
  });
});
