import { describe, expect, it } from 'vitest';
import { annotations } from '../../../api/index.ts';
import { joiningState } from './joining-state.ts';

const WORKER: { readonly [key: string]: string } = { 'node-role.kubernetes.io/worker': '' };
const INFRA = { 'node-role.kubernetes.io/infra': '' };
const TARGET = 'rendered-worker-b';
const DONE = { [annotations.currentConfig]: TARGET, [annotations.state]: 'Done' };

const aNode = (
  marks: { readonly [key: string]: string },
  { isReady = true, unschedulable = false, labels = WORKER } = {},
) => ({
  metadata: { name: 'worker-3', annotations: marks, labels },
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
    expect(stateOf(node, status)).toEqual({ isUpdated: false, line });
  });

  it('is complete once the node has the config of its pool, is schedulable, and is Updated', () => {
    expect(stateOf(aNode(DONE), 'True')).toEqual({ isUpdated: true, line: 'is Updated: rendered-worker-b' });
  });

  it('of a custom pool is not complete before its node has the labels that the pool selects', () => {
    expect(stateOf(aNode(DONE), 'True', 'infra')).toEqual({
      isUpdated: false,
      line: 'is Ready with rendered-worker-b, and has no labels yet that pool infra selects',
    });
    const labelled = aNode(DONE, { labels: { ...WORKER, ...INFRA } });
    expect(stateOf(labelled, 'True', 'infra').isUpdated).toBe(true);
  });
});

const aPool = (name: string, matchLabels: { readonly [key: string]: string }) => ({
  metadata: { name },
  spec: { nodeSelector: { matchLabels }, configuration: { name: TARGET } },
});

function stateOf(node: unknown, updated: string, pool = 'worker') {
  const pools = [aPool('worker', WORKER), aPool('infra', INFRA)];
  const machineConfigNode = { status: { conditions: [{ type: 'Updated', status: updated }] } };
  // Only what it reads.
  return joiningState({ node, machineConfigNode, pool, pools } as unknown as Parameters<
    typeof joiningState
  >[0]);
}
