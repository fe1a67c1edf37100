import { describe, expect, it } from 'vitest';
import {
  aDaemonSet,
  ago,
  aNode,
  aPod,
  NOW_MS,
  type PodState,
} from '../../../../test/support/build-workloads.ts';
import { formatWrites, withStatusIn } from '../../../../test/support/format-writes.ts';
import { type DaemonSet, daemonSet, type Node, type Pod } from '../../../kubernetes/types/index.ts';
import { targetNode } from './daemon-pods.ts';
import { decideDaemonSet } from './decide-daemon-set.ts';
import { templateHash } from './template-hash.ts';

const ready = { readyFor: 100, age: 100 } as const;
const surging = {
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
} as const;

/** A pod on a node, of the current template unless `isOld`. */
function on(node: string, state: PodState = ready, { name = `on-${node}`, isOld = false } = {}): Pod {
  const hash = isOld ? 'old' : templateHash(aDaemonSet().spec.template);
  return aPod(name, { node, ...state }, { labels: { app: 'web', 'controller-revision-hash': hash } });
}

function decide(set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[], nowMs = NOW_MS) {
  return decideDaemonSet({ set, nodes, pods, nowMs, failedPodMs: 10_000 });
}

/** What is done to pods, and for which nodes new ones are made. */
function moves({ writes }: ReturnType<typeof decide>): readonly string[] {
  return writes
    .filter(({ resource }) => resource.plural === 'pods')
    .map(({ kind, object }) =>
      kind === 'create' ? `create on ${targetNode(object as Pod)}` : `${kind} ${object.metadata.name}`,
    );
}

const [a, b, c] = [aNode('a'), aNode('b'), aNode('c')];
const tainted = aNode('t', { taints: [{ key: 'x', effect: 'NoSchedule' }] });
const forbidden = aNode('f', { taints: [{ key: 'x', effect: 'NoExecute' }] });

describe('a daemon set', () => {
  it('that is terminating does nothing', () => {
    expect(decide(aDaemonSet({}, { deletionTimestamp: ago(1) }), [a], []).writes).toEqual([]);
  });

  it.each<[string, readonly Node[], readonly Pod[], readonly string[]]>([
    ['makes a pod where one is missing', [b, a], [on('a')], ['create on b']],
    ['makes none where one is on its way', [a], [on('a', {})], []],
    ['waits for one that leaves', [a], [on('a', { ...ready, leaves: true })], []],
    ['makes none on nodes that do not fit', [tainted, forbidden], [], []],
    ['leaves one where a node has become unfit for new ones', [tainted], [on('t')], []],
    ['removes one where the node drives it away', [forbidden], [on('f')], ['delete on-f']],
    [
      'removes the younger of two',
      [a],
      [on('a', { readyFor: 9, age: 9 }, { name: 'young' }), on('a', ready, { name: 'old' })],
      ['delete young'],
    ],
    ['replaces one that has failed', [a], [on('a', { phase: 'Failed', age: 60 })], ['delete on-a']],
    ['replaces one that has come to an end', [a], [on('a', { phase: 'Succeeded', age: 1 })], ['delete on-a']],
    ['leaves pods on nodes that are gone to others', [a], [on('a'), on('gone')], []],
  ])('%s', (_, nodes, pods, expected) => {
    expect(moves(decide(aDaemonSet(), nodes, pods))).toEqual(expected);
  });

  it('deletes a pending pod of a deleted node', () => {
    const made = decide(aDaemonSet(), [a], []).writes[0]?.object as Pod;
    const waiting = { ...made, metadata: { ...made.metadata, name: 'waiting', uid: 'u' } };
    expect(moves(decide(aDaemonSet(), [b], [waiting, on('b')]))).toEqual(['delete waiting']);
  });

  it('keeps a recently failed pod for a while', () => {
    const decision = decide(aDaemonSet(), [a], [on('a', { phase: 'Failed', age: 4 })]);
    expect(moves(decision)).toEqual([]);
    expect(decision.lookAgainMs).toBe(6000);
  });

  it('reports its status', () => {
    const set = aDaemonSet({ minReadySeconds: 50 }, { generation: 3 });
    const pods = [on('a'), on('b', { readyFor: 20 }, { isOld: true }), on('t')];
    const decision = decide(set, [a, b, c, tainted], pods);
    expect(withStatusIn(daemonSet, decision.writes).status).toEqual({
      desiredNumberScheduled: 3,
      currentNumberScheduled: 2,
      numberMisscheduled: 1,
      numberReady: 2,
      numberAvailable: 1,
      numberUnavailable: 2,
      updatedNumberScheduled: 1,
      observedGeneration: 3,
    });
    expect(decision.lookAgainMs).toBe(30_000);
  });

  it('comes to rest', () => {
    const first = decide(aDaemonSet(), [a], [on('a')]);
    expect(formatWrites(first.writes)).toEqual(['update daemonsets/agent status']);
    const written = withStatusIn(daemonSet, first.writes);
    expect(decide(written, [a], [on('a')]).writes).toEqual([]);
  });
});

describe('an update of a daemon set', () => {
  const old = { isOld: true };

  it.each<[string, number | string, readonly Pod[], readonly string[]]>([
    [
      'removes one old pod',
      1,
      [on('a', ready, old), on('b', ready, old), on('c', ready, old)],
      ['delete on-a'],
    ],
    [
      'removes as many as may be missing',
      2,
      [on('a', ready, old), on('b', ready, old), on('c', ready, old)],
      ['delete on-a', 'delete on-b'],
    ],
    [
      'rounds a percentage up',
      '40%',
      [on('a', ready, old), on('b', ready, old), on('c', ready, old)],
      ['delete on-a', 'delete on-b'],
    ],
    ['waits for the new pod to be available', 1, [on('a', {}), on('b', ready, old), on('c', ready, old)], []],
    [
      'waits for a pod to leave',
      1,
      [on('a', { ...ready, leaves: true }, old), on('b', ready, old), on('c')],
      [],
    ],
    ['goes on then', 1, [on('a'), on('b', ready, old), on('c', ready, old)], ['delete on-b']],
    [
      'removes broken old pods at once',
      1,
      [on('a', ready, old), on('b', {}, old), on('c', {}, old)],
      ['delete on-b', 'delete on-c'],
    ],
    ['has nothing to do at its end', 1, [on('a'), on('b'), on('c')], []],
  ])('%s', (_, maxUnavailable, pods, expected) => {
    const set = aDaemonSet({
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge: 0 } },
    });
    expect(moves(decide(set, [a, b, c], pods))).toEqual(expected);
  });

  it('waits for deleted pods with OnDelete', () => {
    const set = aDaemonSet({ updateStrategy: { type: 'OnDelete' } });
    expect(moves(decide(set, [a], [on('a', ready, old)]))).toEqual([]);
  });

  it.each<[string, readonly Pod[], readonly string[]]>([
    ['makes a second pod first', [on('a', ready, old), on('b', ready, old)], ['create on a']],
    ['waits for it', [on('a', ready, old), on('a', {}, { name: 'new' }), on('b', ready, old)], []],
    [
      'then removes the old one',
      [on('a', ready, old), on('a', ready, { name: 'new' }), on('b', ready, old)],
      ['delete on-a'],
    ],
    ['replaces broken ones at once', [on('a', {}, old), on('b', {}, old)], ['create on a', 'create on b']],
    ['does not leave a node without a pod', [on('a', { ...ready, leaves: true }), on('b')], ['create on a']],
  ])('where there may be two: %s', (_, pods, expected) => {
    expect(moves(decide(aDaemonSet(surging), [a, b], pods))).toEqual(expected);
  });

  it('where there may be two: leaves a node only when the pod runs elsewhere', () => {
    const set = aDaemonSet({
      ...surging,
      template: {
        ...aDaemonSet().spec.template,
        spec: { ...aDaemonSet().spec.template.spec, nodeSelector: { here: 'yes' } },
      },
    });
    const tolerated = aNode('t', { labels: { here: 'yes' }, taints: [{ key: 'x', effect: 'NoSchedule' }] });
    const here = aNode('h', { labels: { here: 'yes' } });
    const fresh = { name: 'new' };
    const hash = templateHash(set.spec.template);
    const current = aPod(
      'new',
      { node: 'h', ...ready },
      { labels: { app: 'web', 'controller-revision-hash': hash } },
    );
    const leaving = on('t', ready, old);
    expect(moves(decide(set, [tolerated, here], [leaving, current]))).toEqual(['delete on-t']);
    const notYet = { ...aPod(fresh.name, { node: 'h' }), metadata: current.metadata };
    expect(moves(decide(set, [tolerated, here], [leaving, notYet]))).toEqual([]);
  });
});
