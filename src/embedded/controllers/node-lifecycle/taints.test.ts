import { describe, expect, it } from 'vitest';
import { formatTimestamp } from '../../../base/text/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import { withUnknownConditions } from './health.ts';
import { tainted } from './taints.ts';

const nowMs = 1_767_225_600_000;

const aNode = (conditions: { readonly [type: string]: string }, spec: Node['spec'] = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a', creationTimestamp: '2025-12-31T00:00:00Z' },
  spec,
  status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
});
const shown = ({ spec }: Node) => (spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
const healthy = { Ready: 'True', MemoryPressure: 'False' };
const k = 'node.kubernetes.io/';

describe('the taints of a node', () => {
  const table: readonly (readonly [string, Node, readonly string[]])[] = [
    ['that is healthy: none', aNode(healthy), []],
    ['that is not ready', aNode({ Ready: 'False' }), [`${k}not-ready:NoSchedule`, `${k}not-ready:NoExecute`]],
    [
      'that is unreachable',
      aNode({ Ready: 'Unknown' }),
      [`${k}unreachable:NoSchedule`, `${k}unreachable:NoExecute`],
    ],
    ['without conditions: none', aNode({}), []],
    ['that is cordoned', aNode(healthy, { unschedulable: true }), [`${k}unschedulable:NoSchedule`]],
    [
      'under resource pressure',
      aNode({ Ready: 'True', MemoryPressure: 'True', DiskPressure: 'True', PIDPressure: 'True' }),
      [`${k}memory-pressure:NoSchedule`, `${k}disk-pressure:NoSchedule`, `${k}pid-pressure:NoSchedule`],
    ],
    [
      'that is healthy again: foreign taints only',
      aNode(healthy, {
        taints: [
          { key: `${k}not-ready`, effect: 'NoSchedule' },
          { key: 'UpdateInProgress', effect: 'PreferNoSchedule' },
          { key: `${k}unreachable`, effect: 'NoExecute' },
          { key: `${k}unschedulable`, effect: 'NoSchedule' },
          { key: `${k}out-of-service`, effect: 'NoExecute' },
        ],
      }),
      ['UpdateInProgress:PreferNoSchedule', `${k}out-of-service:NoExecute`],
    ],
    [
      'that was unreachable and is only not ready',
      aNode({ Ready: 'False' }, { taints: [{ key: `${k}unreachable`, effect: 'NoExecute' }] }),
      [`${k}not-ready:NoSchedule`, `${k}not-ready:NoExecute`],
    ],
  ];
  it.each(table)('%s', (_, node, expected) => {
    expect(shown(tainted(node, { isOutage: false, nowMs }))).toEqual(expected);
  });

  it('do not evict while no node is ready', () => {
    const node = aNode({ Ready: 'Unknown' }, { taints: [{ key: `${k}unreachable`, effect: 'NoExecute' }] });
    expect(shown(tainted(node, { isOutage: true, nowMs }))).toEqual([`${k}unreachable:NoSchedule`]);
  });

  it('have a timeAdded that is kept', () => {
    const node = tainted(aNode({ Ready: 'Unknown' }), { isOutage: false, nowMs });
    expect(node.spec.taints?.map(({ timeAdded }) => timeAdded)).toEqual([
      formatTimestamp(nowMs),
      formatTimestamp(nowMs),
    ]);
    expect(tainted(node, { isOutage: false, nowMs: nowMs + 5000 })).toBe(node);
  });

  it('leave no empty list behind', () => {
    const node = aNode(healthy, { taints: [{ key: `${k}not-ready`, effect: 'NoSchedule' }] });
    expect(tainted(node, { isOutage: false, nowMs }).spec).toEqual({});
  });
});

describe('a silent node', () => {
  it('has the conditions of its kubelet set to Unknown', () => {
    const node = aNode({ NetworkUnavailable: 'False', Ready: 'True', DiskPressure: 'Unknown' });
    const [network, ready, disk, ...others] = withUnknownConditions(node, nowMs).status?.conditions ?? [];
    expect([network, disk]).toEqual([
      { type: 'NetworkUnavailable', status: 'False' },
      { type: 'DiskPressure', status: 'Unknown' },
    ]);
    expect(ready).toEqual({
      type: 'Ready',
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: formatTimestamp(nowMs),
    });
    expect(others).toEqual(
      ['MemoryPressure', 'PIDPressure'].map((type) => ({
        type,
        status: 'Unknown',
        reason: 'NodeStatusNeverUpdated',
        message: 'Kubelet never posted node status.',
        lastHeartbeatTime: '2025-12-31T00:00:00Z',
        lastTransitionTime: formatTimestamp(nowMs),
      })),
    );
  });

  it('is unchanged once they are Unknown', () => {
    const node = withUnknownConditions(aNode(healthy), nowMs);
    expect(withUnknownConditions(node, nowMs + 60_000)).toBe(node);
  });
});
