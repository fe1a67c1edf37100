import { describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/support/a-pod.ts';
import { formatTimestamp } from '../../../base/text/index.ts';
import type { Node, Pod, Toleration } from '../../../kubernetes/types/index.ts';
import type { Taint } from '../scheduler/tolerations.ts';
import { remainingTolerationMs } from './toleration-seconds.ts';

const nowMs = 1_767_225_600_000;
const ago = (seconds: number) => formatTimestamp(nowMs - seconds * 1000);

const aNode = (...taints: readonly Taint[]): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a' },
  spec: { taints },
});
const pod = (scheduledAgo: number, ...tolerations: readonly Toleration[]): Pod => ({
  ...aPod('p', { nodeName: 'a', tolerations }),
  status: {
    conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: ago(scheduledAgo) }],
  },
});
const unreachable = (addedAgo?: number): Taint => ({
  key: 'node.kubernetes.io/unreachable',
  effect: 'NoExecute',
  ...(addedAgo === undefined ? {} : { timeAdded: ago(addedAgo) }),
});
const tolerating = (tolerationSeconds?: number, key = 'node.kubernetes.io/unreachable'): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});
const left = (of: Pod, node: Node, seenAgo = 0) => {
  const since = new Map((node.spec.taints ?? []).map(({ key }) => [key, nowMs - seenAgo * 1000]));
  return remainingTolerationMs(of, node, { since, nowMs }) / 1000;
};

describe('a pod on a node with a NoExecute taint', () => {
  it('is evicted if it does not tolerate it', () => {
    expect(left(pod(1000), aNode(unreachable(5)))).toBe(0);
    expect(left(pod(1000, tolerating(undefined, 'other')), aNode(unreachable(5)))).toBe(0);
  });

  it('may stay without tolerationSeconds, and with other effects', () => {
    expect(left(pod(1000, tolerating()), aNode(unreachable(5)))).toBe(Number.POSITIVE_INFINITY);
    expect(left(pod(1000), aNode({ key: 'k', effect: 'NoSchedule' }))).toBe(Number.POSITIVE_INFINITY);
  });

  it('may stay for tolerationSeconds from timeAdded', () => {
    expect(left(pod(1000, tolerating(300)), aNode(unreachable(100)), 3)).toBe(200);
    expect(left(pod(1000, tolerating(300)), aNode(unreachable(400)))).toBe(-100);
  });

  it('counts from the first observation without timeAdded', () => {
    expect(left(pod(1000, tolerating(300)), aNode(unreachable()), 30)).toBe(270);
  });

  it('counts from its scheduling if the taint is older', () => {
    expect(left(pod(10, tolerating(300)), aNode(unreachable(400)))).toBe(290);
  });

  it('uses the first matching toleration', () => {
    expect(left(pod(1000, tolerating(300), tolerating(20)), aNode(unreachable(0)))).toBe(300);
    const forever = left(pod(1000, tolerating(), tolerating(20)), aNode(unreachable(0)));
    expect(forever).toBe(Number.POSITIVE_INFINITY);
  });

  it('uses the shortest toleration of all taints', () => {
    const [other, seconds]: readonly [Taint, Toleration] = [
      { key: 'k', effect: 'NoExecute', timeAdded: ago(1) },
      tolerating(5, 'k'),
    ];
    expect(left(pod(1000, tolerating(300), seconds), aNode(unreachable(0), other))).toBe(4);
  });

  it('is evicted at once with tolerationSeconds 0', () => {
    expect(left(pod(1000, tolerating(-5)), aNode(unreachable(0)))).toBe(0);
  });
});
