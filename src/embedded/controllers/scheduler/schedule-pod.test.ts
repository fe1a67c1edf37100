import { describe, expect, it } from 'vitest';
import type { Labels } from '../../../kubernetes/meta/index.ts';
import type { Node, NodeSelectorTerm, Pod, PodSpec, Toleration } from '../../../kubernetes/types/index.ts';
import { podInfoOf } from './pod-info.ts';
import { schedulePod } from './schedule-pod.ts';
import { SchedulerCache } from './scheduler-cache.ts';
import type { Taint } from './tolerations.ts';

type NodeParts = {
  readonly labels?: Labels;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly allocatable?: { readonly [resource: string]: string };
};

const aNode = (name: string, { labels = {}, allocatable = {}, ...spec }: NodeParts = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
  spec,
  status: {
    allocatable: { cpu: '2', memory: '4Gi', 'ephemeral-storage': '10Gi', pods: '10', ...allocatable },
  },
});

type PodParts = {
  readonly labels?: Labels;
  readonly requests?: { readonly [resource: string]: string };
  readonly owner?: string;
};

const aPod = (
  name: string,
  spec: Partial<PodSpec> = {},
  { labels = {}, requests = {}, owner }: PodParts = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    labels,
    ...(owner === undefined
      ? {}
      : {
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true },
          ],
        }),
  },
  spec: { containers: [{ name: 'app', image: 'x', resources: { requests } }], ...spec },
});

function ledgerOf(nodes: readonly Node[], pods: readonly Pod[] = []): SchedulerCache {
  const cache = new SchedulerCache();
  for (const after of nodes) cache.observeNode({ before: undefined, after });
  for (const after of pods) cache.observePod({ before: undefined, after });
  return cache;
}

const choose = (pod: Pod, cache: SchedulerCache) => schedulePod(podInfoOf(pod), cache);
const everything: readonly Toleration[] = [{ operator: 'Exists' }];
const onHost = (name: string) => ({ nodeSelector: { 'kubernetes.io/hostname': name } });
const near = (
  kind: 'podAffinity' | 'podAntiAffinity',
  app: string,
  topologyKey = 'kubernetes.io/hostname',
) => ({
  affinity: {
    [kind]: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey, labelSelector: { matchLabels: { app } } },
      ],
    },
  },
});
const byField = (...names: readonly string[]): Partial<PodSpec> => {
  const matchFields: NodeSelectorTerm['matchFields'] = names.map((name) => ({
    key: 'metadata.name',
    operator: 'In',
    values: [name],
  }));
  return {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
      },
    },
  };
};

/** The messages of kube-scheduler 1.33 for the same nodes and pods. */
describe('an unschedulable pod gets the fit error of kube-scheduler', () => {
  const cache = ledgerOf(
    [
      aNode('a', {
        unschedulable: true,
        taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
        labels: { zone: 'z1' },
      }),
      aNode('b', {
        taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }],
        labels: { zone: 'z1' },
      }),
      aNode('c', { labels: { zone: 'z2' } }),
      aNode('d', { allocatable: { cpu: '500m', pods: '1' }, labels: { zone: 'z2' } }),
      aNode('e', {
        taints: [
          { key: 'UpdateInProgress', effect: 'PreferNoSchedule' },
          { key: 'k', value: 'v', effect: 'NoExecute' },
        ],
      }),
    ],
    [
      aPod('on-c', { nodeName: 'c' }, { labels: { app: 'web' }, requests: { cpu: '1', memory: '1Gi' } }),
      aPod('on-d', { nodeName: 'd' }, { labels: { app: 'db' } }),
      aPod('on-e', { nodeName: 'e', ...near('podAntiAffinity', 'picky') }, { labels: { app: 'hater' } }),
    ],
  );
  const huge = { cpu: '50', memory: '500Gi', 'ephemeral-storage': '1Ti' };
  const table: readonly (readonly [string, Pod, string])[] = [
    [
      'too much of everything',
      aPod('t', {}, { requests: huge }),
      '1 Too many pods, 1 node(s) had untolerated taint {dedicated: gpu}, 1 node(s) had untolerated taint {k: v}, 1 node(s) were unschedulable, 2 Insufficient cpu, 2 Insufficient ephemeral-storage, 2 Insufficient memory. preemption: 0/5 nodes are available: 2 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling.',
    ],
    [
      'too much, wherever it is let in',
      aPod('t', { tolerations: everything }, { requests: huge }),
      '1 Too many pods, 5 Insufficient cpu, 5 Insufficient ephemeral-storage, 5 Insufficient memory. preemption: 0/5 nodes are available: 5 No preemption victims found for incoming pod.',
    ],
    [
      'a device that no node has',
      aPod('t', { tolerations: everything }, { requests: { 'nvidia.com/gpu': '1' } }),
      '1 Too many pods, 5 Insufficient nvidia.com/gpu. preemption: 0/5 nodes are available: 5 No preemption victims found for incoming pod.',
    ],
    [
      'a label that no node has',
      aPod('t', { nodeSelector: { disk: 'ssd' } }),
      "1 node(s) had untolerated taint {dedicated: gpu}, 1 node(s) had untolerated taint {k: v}, 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.",
    ],
    [
      'a node by its name, as pods of DaemonSets',
      aPod('t', byField('a')),
      "1 node(s) were unschedulable, 4 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.",
    ],
    [
      'a node that is not there',
      aPod('t', byField('zzz')),
      "5 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.",
    ],
    [
      'two names at once',
      aPod('t', byField('a', 'b')),
      'pod affinity terms conflict. preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.',
    ],
    [
      'a zone without certain others',
      aPod('t', { ...near('podAntiAffinity', 'web', 'zone'), nodeSelector: { zone: 'z2' } }),
      "1 Too many pods, 1 node(s) didn't match pod anti-affinity rules, 1 node(s) had untolerated taint {dedicated: gpu}, 1 node(s) had untolerated taint {k: v}, 1 node(s) were unschedulable. preemption: 0/5 nodes are available: 2 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling.",
    ],
    [
      'a node whose pods refuse it',
      aPod('t', { tolerations: everything, ...onHost('e') }, { labels: { app: 'picky' } }),
      "1 node(s) didn't satisfy existing pods anti-affinity rules, 4 node(s) didn't match Pod's node affinity/selector. preemption: 0/5 nodes are available: 1 No preemption victims found for incoming pod, 4 Preemption is not helpful for scheduling.",
    ],
    [
      'others near it, which are nowhere',
      aPod('t', { tolerations: everything, ...near('podAffinity', 'nobody') }, { labels: { app: 'z' } }),
      "1 Too many pods, 4 node(s) didn't match pod affinity rules. preemption: 0/5 nodes are available: 1 No preemption victims found for incoming pod, 4 Preemption is not helpful for scheduling.",
    ],
    [
      'its like near it, by a label that no node has',
      aPod('t', { tolerations: everything, ...near('podAffinity', 'z', 'rack') }, { labels: { app: 'z' } }),
      "1 Too many pods, 4 node(s) didn't match pod affinity rules. preemption: 0/5 nodes are available: 1 No preemption victims found for incoming pod, 4 Preemption is not helpful for scheduling.",
    ],
    [
      'room on a full node',
      aPod('t', onHost('d'), { requests: { cpu: '600m' } }),
      "1 Insufficient cpu, 1 Too many pods, 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint {dedicated: gpu}, 1 node(s) had untolerated taint {k: v}, 1 node(s) were unschedulable. preemption: 0/5 nodes are available: 1 No preemption victims found for incoming pod, 4 Preemption is not helpful for scheduling.",
    ],
  ];
  it.each(table)('where it wants %s', (_, pod, message) => {
    expect(choose(pod, cache)).toEqual({
      kind: 'unschedulable',
      message: `0/5 nodes are available: ${message}`,
    });
  });

  it('without any nodes', () => {
    const message = 'no nodes available to schedule pods';
    expect(choose(aPod('t'), new SchedulerCache())).toEqual({ kind: 'unschedulable', message });
  });

  it('unless it tolerates the taint of a cordoned node', () => {
    const key = 'node.kubernetes.io/unschedulable';
    const pod = aPod('t', { ...onHost('a'), tolerations: [{ key, operator: 'Exists' }] });
    expect(choose(pod, cache)).toEqual({ kind: 'node', name: 'a' });
  });
});

describe('among feasible nodes', () => {
  const chosen = (pod: Pod, cache: SchedulerCache): string => {
    const choice = choose(pod, cache);
    return choice.kind === 'node' ? choice.name : choice.message;
  };

  it('the name breaks ties, independent of the order of nodes', () => {
    const nodes = ['b', 'a', 'c'].map((name) => aNode(name));
    expect(chosen(aPod('t'), ledgerOf(nodes))).toBe('a');
    expect(chosen(aPod('t'), ledgerOf(nodes.toReversed()))).toBe('a');
  });

  it('a node with a PreferNoSchedule taint is avoided', () => {
    const taints: readonly Taint[] = [{ key: 'UpdateInProgress', effect: 'PreferNoSchedule' }];
    const nodes = [aNode('a', { taints }), aNode('b')];
    const busy = aPod('busy', { nodeName: 'b' }, { requests: { cpu: '1' } });
    expect(chosen(aPod('t'), ledgerOf(nodes, [busy]))).toBe('b');
    expect(chosen(aPod('t', { tolerations: everything }), ledgerOf(nodes, [busy]))).toBe('a');
  });

  it('the least allocated is preferred, counting pods without requests', () => {
    const nodes = [aNode('a'), aNode('b'), aNode('c')];
    const idle = aPod('idle', { nodeName: 'a' });
    const large = aPod('large', { nodeName: 'b' }, { requests: { cpu: '1', memory: '1Gi' } });
    expect(chosen(aPod('t'), ledgerOf(nodes, [idle, large]))).toBe('c');
  });

  it('pods of one owner are spread over nodes even if others are less allocated', () => {
    const nodes = [aNode('a'), aNode('b')];
    const mine = aPod('mine', { nodeName: 'a' }, { owner: 'set' });
    const other = aPod('other', { nodeName: 'b' }, { requests: { cpu: '1' } });
    expect(chosen(aPod('t', {}, { owner: 'set' }), ledgerOf(nodes, [mine, other]))).toBe('b');
    expect(chosen(aPod('t', {}, { owner: 'another' }), ledgerOf(nodes, [mine, other]))).toBe('a');
  });

  it('pods of one owner are spread over zones before nodes', () => {
    const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/zone': name } });
    const nodes = [aNode('a', zone('x')), aNode('b', zone('x')), aNode('c', zone('y'))];
    const pods = [
      aPod('1', { nodeName: 'a' }, { owner: 'set' }),
      aPod('2', { nodeName: 'c' }, { owner: 'set' }),
      aPod('3', { nodeName: 'a' }, { owner: 'set' }),
    ];
    expect(chosen(aPod('t', {}, { owner: 'set' }), ledgerOf(nodes, pods))).toBe('c');
  });

  it('a terminating pod does not count for spreading', () => {
    const leaving = aPod('leaving', { nodeName: 'a' }, { owner: 'set' });
    const marked = {
      ...leaving,
      metadata: { ...leaving.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    };
    const nodes = [aNode('a'), aNode('b')];
    const filler = aPod('filler', { nodeName: 'b' }, { requests: { cpu: '1500m', memory: '2Gi' } });
    expect(chosen(aPod('t', {}, { owner: 'set' }), ledgerOf(nodes, [leaving, filler]))).toBe('b');
    expect(chosen(aPod('t', {}, { owner: 'set' }), ledgerOf(nodes, [marked, filler]))).toBe('a');
  });

  it('the first pod with affinity to itself goes anywhere, and the next follow it', () => {
    const cache = ledgerOf([aNode('a'), aNode('b')]);
    const together = { ...near('podAffinity', 'z') };
    expect(chosen(aPod('1', together, { labels: { app: 'z' } }), cache)).toBe('a');
    cache.observePod({ before: undefined, after: aPod('1', { nodeName: 'b' }, { labels: { app: 'z' } }) });
    expect(chosen(aPod('2', together, { labels: { app: 'z' } }), cache)).toBe('b');
  });
});
