import { describe, expect, it } from 'vitest';
import { annotations } from '../../../api/index.ts';
import { joiningState } from './joining-state.ts';

const WORKER: { readonly [key: string]: string } = { 'node-role.kubernetes.io/worker': '' };
const INFRA = { 'node-role.kubernetes.io/infra': '' };
const TARGET = 'rendered-worker-b';
const DONE = {
  [annotations.currentConfig]: TARGET,
  [annotations.desiredConfig]: TARGET,
  [annotations.state]: 'Done',
};
/** As a node of a paused pool, and one whose turn has not come. */
const FORMER = {
  ...DONE,
  [annotations.currentConfig]: 'rendered-worker-a',
  [annotations.desiredConfig]: 'rendered-worker-a',
};

const aNode = (
  marks: { readonly [key: string]: string },
  { isReady = true, unschedulable = false, labels = WORKER, name = 'worker-3' } = {},
) => ({
  metadata: { name, annotations: marks, labels },
  spec: { unschedulable },
  status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});

describe('how far a joining machine has come', () => {
  // biome-ignore format: a table.
  it.each([
    ['no Node', undefined, 'True', 'is up; its kubelet has not registered yet'],
    ['a Node that is not Ready', aNode(DONE, { isReady: false }), 'True', 'is registered, and not Ready yet'],
    ['no annotations', aNode({}), 'True', 'is Ready; its daemon has not reported yet'],
    ['an older config', aNode({ ...DONE, [annotations.currentConfig]: 'rendered-worker-a' }), 'True', 'is Ready with rendered-worker-a, and is to have rendered-worker-b'],
    ['a degraded daemon', aNode({ ...DONE, [annotations.state]: 'Degraded', [annotations.reason]: 'no space' }), 'True', 'is Degraded: no space'],
    ['a daemon at work', aNode({ ...DONE, [annotations.state]: 'Working' }), 'True', 'is Ready with rendered-worker-b; its daemon has not completed yet'],
    ['a cordoned Node', aNode(DONE, { unschedulable: true }), 'True', 'is Ready with rendered-worker-b; its daemon has not completed yet'],
    ['a MachineConfigNode that is not Updated', aNode(DONE), 'False', 'is Ready with rendered-worker-b; its daemon has not completed yet'],
  ])('with %s it is not complete', (_, node, status, line) => {
    expect(stateOf(node, status)).toEqual({ hasJoined: false, line });
  });

  it('is complete once the node has the config of its pool, is schedulable, and is Updated', () => {
    expect(stateOf(aNode(DONE), 'True')).toEqual({ hasJoined: true, line: 'is Updated: rendered-worker-b' });
  });

  it('is complete with the config that a paused pool gives, and says what follows once that is resumed', () => {
    expect(stateOf(aNode(FORMER), 'True', { isPaused: true })).toEqual({
      hasJoined: true,
      line: 'is Ready with rendered-worker-a; pool worker is paused: it gets rendered-worker-b once that is resumed (millwright resume worker)',
    });
  });

  it.each([
    ['is cordoned', aNode(FORMER, { unschedulable: true })],
    ['is at work', aNode({ ...FORMER, [annotations.state]: 'Working' })],
    ['has been sent already', aNode({ ...FORMER, [annotations.desiredConfig]: TARGET })],
  ])('is not complete in a paused pool while it %s', (_, node) => {
    expect(stateOf(node, 'True', { isPaused: true })).toEqual({
      hasJoined: false,
      line: 'is Ready with rendered-worker-a, and is to have rendered-worker-b',
    });
  });

  it('names the nodes that hold up its pool while it waits for its turn', () => {
    const failing = { [annotations.state]: 'Degraded', [annotations.reason]: 'no\nspace' };
    const others = [
      aNode({ ...FORMER, ...failing }, { name: 'worker-0' }),
      aNode(FORMER, { name: 'worker-1', isReady: false }),
      aNode({ ...FORMER, ...failing }, { name: 'infra-0', labels: { ...WORKER, ...INFRA } }),
    ];
    const text = (nodes: readonly unknown[]) => stateOf(aNode(FORMER), 'True', { others: nodes });
    expect(text([])).toEqual({
      hasJoined: false,
      line: 'is Ready with rendered-worker-a, and gets rendered-worker-b in its turn',
    });
    expect(text(others).line).toBe(
      'is Ready with rendered-worker-a, and gets rendered-worker-b in its turn: worker-0 is Degraded: no space; node worker-1 is reporting NotReady=False',
    );
  });

  it('of a custom pool is not complete before its node has the labels that the pool selects', () => {
    expect(stateOf(aNode(DONE), 'True', { pool: 'infra' })).toEqual({
      hasJoined: false,
      line: 'is Ready with rendered-worker-b, and has no labels yet that pool infra selects',
    });
    const labelled = aNode(DONE, { labels: { ...WORKER, ...INFRA } });
    expect(stateOf(labelled, 'True', { pool: 'infra' }).hasJoined).toBe(true);
  });
});

type Circumstances = {
  readonly pool?: string;
  readonly isPaused?: boolean;
  readonly others?: readonly unknown[];
};

function stateOf(
  node: unknown,
  updated: string,
  { pool = 'worker', isPaused = false, others = [] }: Circumstances = {},
) {
  const aPool = (name: string, matchLabels: { readonly [key: string]: string }) => ({
    metadata: { name },
    spec: { nodeSelector: { matchLabels }, configuration: { name: TARGET }, paused: isPaused },
  });
  const pools = [aPool('worker', WORKER), aPool('infra', INFRA)];
  const machineConfigNode = { status: { conditions: [{ type: 'Updated', status: updated }] } };
  const nodes = [node, ...others];
  // Only what it reads.
  return joiningState({ node, machineConfigNode, pool, pools, nodes } as unknown as Parameters<
    typeof joiningState
  >[0]);
}
