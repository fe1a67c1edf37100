import { describe, expect, it } from 'vitest';
import { formatTimestamp } from '../../../base/text/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import {
  freePodAddress,
  isReportDue,
  type NodeSnapshot,
  newNode,
  nodeAddress,
  nodeStatus,
} from './node-status.ts';

const START_MS = 1_767_225_600_000;
const scene: NodeSnapshot = {
  node: { name: 'worker-0', labels: { 'node-role.kubernetes.io/worker': '' } },
  index: 3,
  boot: { bootID: 'boot-1' },
  nowMs: START_MS,
};
const later = (ms: number, more: Partial<NodeSnapshot> = {}): NodeSnapshot => ({
  ...scene,
  nowMs: START_MS + ms,
  ...more,
});

describe('a simulated node', () => {
  it('registers with the labels of every kubelet and its own', () => {
    expect(newNode(scene).metadata.labels).toEqual({
      'beta.kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': 'worker-0',
      'kubernetes.io/os': 'linux',
      'node-role.kubernetes.io/worker': '',
    });
  });

  it('reports capacity, addresses and boot', () => {
    const node = {
      ...scene.node,
      capacity: { cpu: '8', memory: '32Gi', pods: '500' },
      allocatable: { cpu: '7500m', memory: '30Gi', pods: '500' },
      address: '192.0.2.7',
      info: { architecture: 'arm64', osImage: 'An OS 9' },
    };
    const boot = { bootID: 'boot-7', osImage: 'An OS 10' };
    const made = newNode({ ...scene, node, boot });
    expect(made.status).toMatchObject({
      capacity: node.capacity,
      allocatable: node.allocatable,
      addresses: [
        { type: 'InternalIP', address: '192.0.2.7' },
        { type: 'Hostname', address: 'worker-0' },
      ],
      nodeInfo: { bootID: 'boot-7', osImage: 'An OS 10', architecture: 'arm64' },
    });
    expect(made.metadata.labels?.['kubernetes.io/arch']).toBe('arm64');
  });

  it('has the healthy conditions of a kubelet', () => {
    const { conditions = [] } = nodeStatus(scene, undefined);
    expect(conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`)).toEqual([
      'MemoryPressure=False KubeletHasSufficientMemory',
      'DiskPressure=False KubeletHasNoDiskPressure',
      'PIDPressure=False KubeletHasSufficientPID',
      'Ready=True KubeletReady',
    ]);
  });

  it('keeps foreign conditions and unchanged transition times', () => {
    const network = { type: 'NetworkUnavailable', status: 'False' };
    const before = nodeStatus(scene, { conditions: [network] });
    const after = nodeStatus(later(60_000), before);
    const ready = after.conditions?.find(({ type }) => type === 'Ready');
    expect(after.conditions).toContainEqual(network);
    expect(ready).toMatchObject({
      lastHeartbeatTime: formatTimestamp(START_MS + 60_000),
      lastTransitionTime: formatTimestamp(START_MS),
    });
  });
});

describe('a report', () => {
  const node: Node = newNode(scene);
  const everyMs = 300_000;
  const due = (now: NodeSnapshot, of: Node = node) =>
    isReportDue(of, nodeStatus(now, of.status), { nowMs: now.nowMs, everyMs });

  it('is not due while nothing has changed', () => {
    expect(due(later(299_000))).toBeUndefined();
  });

  it('is due periodically', () => {
    expect(due(later(300_000))).toBe('again');
  });

  it('is due after a reboot, and after the node was marked unreachable', () => {
    expect(due(later(1000, { boot: { bootID: 'boot-2' } }))).toBe('changed');
    const conditions = node.status?.conditions?.map((one) => ({ ...one, status: 'Unknown' }));
    const silent = { ...node, status: { ...node.status, ...(conditions && { conditions }) } };
    expect(due(later(1000), silent)).toBe('changed');
  });

  it('is not due if only the format of quantities differs', () => {
    const allocatable = { cpu: '4000m', memory: '17179869184', 'ephemeral-storage': '100Gi', pods: '250' };
    expect(due(later(1000), { ...node, status: { ...node.status, allocatable } })).toBeUndefined();
  });
});

describe('addresses', () => {
  it('of nodes and pods do not overlap, up to thousands of nodes', () => {
    expect([nodeAddress(0), nodeAddress(300), nodeAddress(4999)]).toEqual([
      '10.0.0.10',
      '10.0.1.54',
      '10.0.19.145',
    ]);
    expect([
      freePodAddress(0, new Set()),
      freePodAddress(1, new Set()),
      freePodAddress(4999, new Set()),
    ]).toEqual(['10.128.0.2', '10.128.2.2', '10.167.14.2']);
  });

  it('of pods are the first free ones, and never run out', () => {
    const taken = new Set<string>();
    for (let count = 0; count < 509; count++) taken.add(freePodAddress(0, taken));
    expect([taken.size, freePodAddress(0, taken)]).toEqual([509, '10.128.1.255']);
    taken.delete('10.128.0.77');
    expect(freePodAddress(0, taken)).toBe('10.128.0.77');
  });
});
