import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { type DrainRecord, formatDrainRecord } from './drain-record.ts';
import { quorumProblem, spareMembers } from './quorum.ts';

const record: DrainRecord = {
  request: 'drain-v1',
  cordonedBy: 'millwright',
  beganMs: 0,
  attempts: 1,
  attemptBeganMs: 0,
};

type State =
  | 'idle'
  | 'drained by us'
  | 'foreign cordon'
  | 'drained under a foreign cordon'
  | 'not ready'
  | 'refused';

const ANNOTATIONS: { readonly [state in State]?: DrainRecord } = {
  'drained by us': record,
  'drained under a foreign cordon': { ...record, cordonedBy: 'other' },
  refused: { ...record, cordonedBy: 'nobody', attempts: 0, cordonError: { verb: 'cordon', message: 'no' } },
};
const CORDONED: readonly State[] = ['drained by us', 'foreign cordon', 'drained under a foreign cordon'];

function aNode(name: string, state: State = 'idle', role = 'master'): Node {
  const drain = ANNOTATIONS[state];
  const values =
    drain === undefined
      ? {}
      : { [annotations.desiredDrain]: 'drain-v1', [annotations.drain]: formatDrainRecord(drain) };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [`node-role.kubernetes.io/${role}`]: '' }, annotations: values },
    spec: { unschedulable: CORDONED.includes(state) },
    status: { conditions: [{ type: 'Ready', status: state === 'not ready' ? 'False' : 'True' }] },
  };
}

const masters = (...states: readonly State[]) => states.map((state, index) => aNode(`m${index}`, state));

it.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 1],
  [5, 2],
  [7, 3],
])('of %d members %d may be down', (count, spare) => {
  expect(spareMembers(count)).toBe(spare);
});

describe('the drain of a control plane node may begin', () => {
  it.each<[string, readonly Node[]]>([
    ['if all others are up', masters('idle', 'idle', 'idle')],
    ['if another is only cordoned by an administrator', masters('idle', 'foreign cordon', 'idle')],
    ['if another could not be cordoned', masters('idle', 'refused', 'idle')],
    ['if it is down already', masters('not ready', 'not ready', 'idle')],
    ['if we have cordoned it already', masters('drained by us', 'drained by us', 'idle')],
    ['as the second one of five', masters('idle', 'drained by us', 'idle', 'idle', 'idle')],
    ['if workers are drained', [aNode('m0'), aNode('m1'), aNode('w', 'drained by us', 'worker')]],
  ])('%s', (_, nodes) => {
    const [node = aNode('m0')] = nodes;
    expect(quorumProblem(node, nodes)).toBeUndefined();
  });

  it('as the drain of any worker may', () => {
    const worker = aNode('w0', 'idle', 'worker');
    expect(quorumProblem(worker, [worker, ...masters('not ready', 'not ready')])).toBeUndefined();
  });
});

describe('the drain of a control plane node waits', () => {
  it.each<[string, readonly Node[], readonly string[]]>([
    ['while we drain another', masters('idle', 'drained by us', 'idle'), []],
    [
      'while we drain another under a foreign cordon',
      masters('idle', 'drained under a foreign cordon', 'idle'),
      [],
    ],
    ['while another is not ready', masters('idle', 'not ready', 'idle'), []],
    ['while the drain of another is being begun', masters('idle', 'idle', 'idle'), ['m1']],
    ['as one of two', masters('idle', 'drained by us'), []],
    ['as the third one of five', masters('idle', 'not ready', 'drained by us', 'idle', 'idle'), []],
    ['while the arbiter is down', [aNode('m0'), aNode('m1'), aNode('a', 'not ready', 'arbiter')], []],
    ['also under a foreign cordon of its own', masters('foreign cordon', 'drained by us', 'idle'), []],
  ])('%s', (_, nodes, beginning) => {
    const [node = aNode('m0')] = nodes;
    expect(quorumProblem(node, nodes, new Set(beginning))).toMatch(/^node m0: its drain waits for /);
  });

  it('and names whom it waits for', () => {
    const nodes = masters('idle', 'not ready', 'idle');
    expect(quorumProblem(aNode('m0'), nodes)).toBe(
      'node m0: its drain waits for m1: of 3 control plane nodes no more may be down, or etcd would lose its quorum',
    );
  });
});
