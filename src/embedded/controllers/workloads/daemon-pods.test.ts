import { describe, expect, it } from 'vitest';
import { aDaemonSet, aNode, aPod, aTemplate } from '../../../../test/support/build-workloads.ts';
import type { PodSpec } from '../../../kubernetes/types/index.ts';
import { byPlaceAndAge, daemonPod, fitOf, isUpdated, targetNode } from './daemon-pods.ts';

function aSetWith(spec: Partial<PodSpec>) {
  return aDaemonSet({ template: aTemplate('a', spec) });
}

const everywhere = { shouldRun: true, mayStay: true };
const nowhere = { shouldRun: false, mayStay: false };
const onlyThere = { shouldRun: false, mayStay: true };

describe('a node', () => {
  it.each([
    ['any', {}, aNode('n'), everywhere],
    [
      'with the required labels',
      { nodeSelector: { a: 'b' } },
      aNode('n', { labels: { a: 'b' } }),
      everywhere,
    ],
    ['without them', { nodeSelector: { a: 'b' } }, aNode('n', { labels: { a: 'c' } }), nowhere],
    ['named by the template', { nodeName: 'n' }, aNode('n'), everywhere],
    ['not named by it', { nodeName: 'm' }, aNode('n'), nowhere],
    ['with a taint', {}, aNode('n', { taints: [{ key: 'x', effect: 'NoSchedule' as const }] }), onlyThere],
    [
      'with a NoExecute taint',
      {},
      aNode('n', { taints: [{ key: 'x', effect: 'NoExecute' as const }] }),
      nowhere,
    ],
    [
      'with a PreferNoSchedule taint',
      {},
      aNode('n', { taints: [{ key: 'x', effect: 'PreferNoSchedule' as const }] }),
      everywhere,
    ],
    [
      'with a taint that is tolerated',
      { tolerations: [{ operator: 'Exists' as const }] },
      aNode('n', { taints: [{ key: 'x', effect: 'NoExecute' as const }] }),
      everywhere,
    ],
    [
      'that is not ready, unreachable or under pressure',
      {},
      aNode('n', {
        taints: [
          { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' as const },
          { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' as const },
          { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' as const },
          { key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' as const },
        ],
      }),
      everywhere,
    ],
    [
      'that is not ready yet',
      {},
      aNode('n', { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' as const }] }),
      onlyThere,
    ],
    [
      'without a network, for a pod with hostNetwork',
      { hostNetwork: true },
      aNode('n', {
        taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' as const }],
      }),
      everywhere,
    ],
  ])('%s is classified', (_, spec, node, expected) => {
    expect(fitOf(aSetWith(spec))(node)).toEqual(expected);
  });

  it('is chosen by its name through affinity', () => {
    const term = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['n'] }] };
    const judge = fitOf(
      aSetWith({
        affinity: {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
        },
      }),
    );
    expect([judge(aNode('n')).shouldRun, judge(aNode('m')).shouldRun]).toEqual([true, false]);
  });
});

describe('a pod of a daemon set', () => {
  it('has node affinity to its node, and keeps other affinity', () => {
    const liked = { weight: 1, preference: { matchFields: [] } };
    const set = aSetWith({
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [liked] } },
    });
    const made = daemonPod(set, 'n', 'hash');
    expect(made.spec.affinity).toEqual({
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [liked],
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
        },
      },
    });
    expect(targetNode(made)).toBe('n');
  });

  it('has the hash of its template', () => {
    const generation = 'deprecated.daemonset.template.generation';
    const set = aDaemonSet({}, { annotations: { [generation]: '3' } });
    const made = daemonPod(set, 'n', 'hash');
    expect(made.metadata).toMatchObject({
      generateName: 'agent-',
      labels: { app: 'web', 'controller-revision-hash': 'hash', 'pod-template-generation': '3' },
    });
    const renewed = aDaemonSet({}, { annotations: { [generation]: '4' } });
    expect([
      isUpdated(made, renewed, 'hash'),
      isUpdated(made, set, 'x'),
      isUpdated(made, renewed, 'x'),
    ]).toEqual([true, true, false]);
  });

  it('has the default tolerations once each', () => {
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' } as const;
    const { tolerations = [] } = daemonPod(aSetWith({ tolerations: [own] }), 'n', 'hash').spec;
    expect(tolerations.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
      'node.kubernetes.io/not-ready:NoExecute',
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/disk-pressure:NoSchedule',
      'node.kubernetes.io/memory-pressure:NoSchedule',
      'node.kubernetes.io/pid-pressure:NoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
    ]);
  });

  it('has the node of its binding, else of its affinity', () => {
    expect(targetNode(aPod('a', { node: 'n' }))).toBe('n');
    expect(targetNode(aPod('a'))).toBeUndefined();
  });

  it('sorts bound and old pods first', () => {
    const pods = [
      aPod('young', { node: 'n', age: 1 }),
      aPod('unplaced', { age: 900 }),
      aPod('old', { node: 'n', age: 9 }),
    ];
    expect(byPlaceAndAge(pods).map(({ metadata }) => metadata.name)).toEqual(['old', 'young', 'unplaced']);
  });
});
