import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/support/a-pod.ts';
import type { Node, Pod } from '../../../kubernetes/types/index.ts';
import { podInfoOf } from './pod-info.ts';
import { SchedulerCache } from './scheduler-cache.ts';

const aNode = (name: string, spec: Node['spec'] = {}, labels = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec,
  status: { allocatable: { cpu: '4', pods: '10' } },
});
const cpu = (amount: string): Pod['spec']['containers'] => [
  { name: 'app', resources: { requests: { cpu: amount } } },
];
const placed = (name: string, nodeName: string, metadata: Partial<Pod['metadata']> = {}): Pod =>
  aPod(name, { nodeName, containers: cpu('1') }, { uid: name, ...metadata });
const waiting = (name: string): Pod => aPod(name, { containers: cpu('1') }, { uid: name });
const used = (cache: SchedulerCache, node: string) => {
  const usage = cache.node(node)?.usage;
  return [usage?.pods, usage?.used.get('cpu') ?? 0];
};

describe('the scheduler cache', () => {
  it('counts an assumed pod once', () => {
    const cache = new SchedulerCache();
    cache.observeNode({ before: undefined, after: aNode('a') });
    cache.observePod({ before: undefined, after: waiting('p') });
    cache.assume(podInfoOf(waiting('p')), 'a');
    expect([used(cache, 'a'), cache.assumedNode(podInfoOf(waiting('p')))]).toEqual([[1, 1000], 'a']);
    // What the cache hears last of the time before must not undo it.
    cache.observePod({ before: waiting('p'), after: { ...waiting('p'), status: { phase: 'Pending' } } });
    cache.observePod({ before: undefined, after: waiting('p') });
    expect(used(cache, 'a')).toEqual([1, 1000]);
    cache.observePod({ before: waiting('p'), after: placed('p', 'a') });
    expect([used(cache, 'a'), cache.assumedNode(podInfoOf(waiting('p')))]).toEqual([[1, 1000], undefined]);
  });

  it('forgets assumed pods, but no confirmed ones', () => {
    const cache = new SchedulerCache();
    cache.observeNode({ before: undefined, after: aNode('a') });
    const podInfo = podInfoOf(waiting('p'));
    cache.assume(podInfo, 'a');
    cache.forget({ ...podInfo, uid: 'another' });
    expect(used(cache, 'a')).toEqual([1, 1000]);
    cache.forget(podInfo);
    expect(used(cache, 'a')).toEqual([0, 0]);
    cache.observePod({ before: undefined, after: placed('p', 'a') });
    cache.forget(podInfo);
    expect(used(cache, 'a')).toEqual([1, 1000]);
  });

  it('forgets an assumed pod replaced by one of the same name', () => {
    const cache = new SchedulerCache();
    cache.observeNode({ before: undefined, after: aNode('a') });
    cache.assume(podInfoOf(waiting('p')), 'a');
    const { metadata } = waiting('p');
    cache.observePod({
      before: undefined,
      after: { ...waiting('p'), metadata: { ...metadata, uid: 'another' } },
    });
    expect(used(cache, 'a')).toEqual([0, 0]);
  });

  it('counts pods on an unknown node', () => {
    const cache = new SchedulerCache();
    cache.observePod({ before: undefined, after: placed('p', 'a') });
    expect(cache.nodes()).toEqual([]);
    cache.observeNode({ before: undefined, after: aNode('a') });
    expect(used(cache, 'a')).toEqual([1, 1000]);
  });

  it('does not count terminated pods', () => {
    const cache = new SchedulerCache();
    cache.observeNode({ before: undefined, after: aNode('a') });
    const pod = placed('p', 'a');
    cache.observePod({ before: undefined, after: pod });
    cache.observePod({ before: pod, after: { ...pod, status: { phase: 'Succeeded' } } });
    expect(used(cache, 'a')).toEqual([0, 0]);
  });

  describe('reports that pods may fit now', () => {
    const gained = (
      change: (cache: SchedulerCache) => void,
    ): readonly [isGain: boolean, isChange: boolean] => {
      const cache = new SchedulerCache();
      cache.observeNode({ before: undefined, after: aNode('a') });
      cache.observePod({ before: undefined, after: placed('p', 'a', { labels: { app: 'x' } }) });
      const { gains, changes } = cache;
      change(cache);
      return [cache.gains > gains, cache.changes > changes];
    };
    const pod = placed('p', 'a', { labels: { app: 'x' } });
    const leaving = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const table: readonly (readonly [string, (cache: SchedulerCache) => void, boolean, boolean])[] = [
      [
        'not by a heartbeat',
        (cache) =>
          cache.observeNode({
            before: aNode('a'),
            after: { ...aNode('a'), status: { ...aNode('a').status, conditions: [] } },
          }),
        ...([false, false] as const),
      ],
      [
        'by a node whose taints changed',
        (cache) => cache.observeNode({ before: aNode('a'), after: aNode('a', { unschedulable: true }) }),
        ...([true, true] as const),
      ],
      [
        'by a new node',
        (cache) => cache.observeNode({ before: undefined, after: aNode('b') }),
        ...([true, true] as const),
      ],
      [
        'not by a deleted node',
        (cache) => cache.observeNode({ before: aNode('a'), after: undefined }),
        ...([false, true] as const),
      ],
      [
        'not by the status of a pod',
        (cache) => cache.observePod({ before: pod, after: { ...pod, status: { phase: 'Running' } } }),
        ...([false, false] as const),
      ],
      [
        'not by a terminating pod',
        (cache) => cache.observePod({ before: pod, after: leaving }),
        ...([false, true] as const),
      ],
      [
        'by a deleted pod',
        (cache) => cache.observePod({ before: pod, after: undefined }),
        ...([true, true] as const),
      ],
      [
        'by a pod with other labels',
        (cache) =>
          cache.observePod({ before: pod, after: { ...pod, metadata: { ...pod.metadata, labels: {} } } }),
        ...([true, true] as const),
      ],
      [
        'by a new pod only if pods have affinity',
        (cache) => cache.observePod({ before: undefined, after: placed('q', 'a') }),
        ...([false, true] as const),
      ],
    ];
    it.each(table)('%s', (_, change, isGain, isChange) => {
      expect(gained(change)).toEqual([isGain, isChange]);
    });
  });
});

describe('incremental updates', () => {
  const names = fc.constantFrom('p', 'q', 'r', 's');
  const nodes = fc.constantFrom('a', 'b', 'c');
  const podState = fc.record({
    node: fc.option(nodes, { nil: '' }),
    owner: fc.constantFrom('x', 'y'),
    app: fc.constantFrom('1', '2'),
    isLeaving: fc.boolean(),
    hasEnded: fc.boolean(),
  });
  const change = fc.oneof(
    fc.record({
      kind: fc.constant('pod' as const),
      name: names,
      state: fc.option(podState, { nil: undefined }),
    }),
    fc.record({
      kind: fc.constant('node' as const),
      name: nodes,
      isThere: fc.boolean(),
      isCordoned: fc.boolean(),
    }),
  );
  type State = typeof podState extends fc.Arbitrary<infer T> ? T : never;

  const podOf = (name: string, { node, owner, app, isLeaving, hasEnded }: State): Pod => {
    const shy = {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'host', labelSelector: {} }],
    };
    return {
      ...aPod(
        name,
        {
          nodeName: node,
          containers: cpu('1'),
          ...(name < 'r' ? { affinity: { podAntiAffinity: shy } } : {}),
        },
        {
          uid: name,
          labels: { app },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Set', name: owner, uid: owner, controller: true }],
          ...(isLeaving ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
        },
      ),
      status: { phase: hasEnded ? 'Failed' : 'Running' },
    };
  };

  /** All that can be asked of a cache, apart from the order of things. */
  const seen = (cache: SchedulerCache) => ({
    nodes: cache
      .nodes()
      .map(({ name, isUnschedulable, usage }) => ({
        name,
        isUnschedulable,
        pods: usage.pods,
        load: usage.cpuLoad,
        cpu: usage.used.get('cpu') ?? 0,
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    owners: ['x', 'y'].map((owner) => new Map(cache.groups.ofOwner(owner))),
    fitting: ['1', '2'].map((app) => {
      const counts = [
        ...cache.groups.matching([
          { topologyKey: 'host', namespaces: 'all', selector: { matchLabels: { app } } },
        ]),
      ];
      return counts.map((one) => new Map(one));
    }),
    refusing: [...cache.groups.withAntiAffinityTo(podInfoOf(waiting('t')))].map(
      ({ counts }) => new Map(counts),
    ),
  });

  it('give the same result as recounting everything', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const cache = new SchedulerCache();
        const pods = new Map<string, Pod>();
        const known = new Map<string, Node>();
        for (const one of changes) {
          if (one.kind === 'node') {
            const after = one.isThere ? aNode(one.name, { unschedulable: one.isCordoned }) : undefined;
            cache.observeNode({ before: known.get(one.name), after });
            if (after === undefined) known.delete(one.name);
            else known.set(one.name, after);
          } else {
            const after = one.state === undefined ? undefined : podOf(one.name, one.state);
            cache.observePod({ before: pods.get(one.name), after });
            if (after === undefined) pods.delete(one.name);
            else pods.set(one.name, after);
          }
        }
        const fresh = new SchedulerCache();
        for (const after of known.values()) fresh.observeNode({ before: undefined, after });
        for (const after of pods.values()) fresh.observePod({ before: undefined, after });
        expect(seen(cache)).toEqual(seen(fresh));
      }),
      { numRuns: 300 },
    );
  });
});
