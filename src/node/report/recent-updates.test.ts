import { describe, expect, it } from 'vitest';
import { annotations, type MachineConfigNode } from '../../api/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { nodeReport } from './node-report.ts';
import { recentUpdates } from './recent-updates.ts';

const BEGAN = '2026-01-01T10:00:00Z';
const NOW = Date.parse('2026-01-01T10:01:35Z');

function aNode(marks: { readonly [key: string]: string }): Node {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', annotations: marks } } as unknown as Node;
}

function aRecord(conditions: readonly (readonly [type: string, status: string])[]): MachineConfigNode {
  return {
    metadata: { name: 'n', generation: 1 },
    spec: { node: { name: 'n' }, pool: { name: 'worker' }, configVersion: { desired: 'new' } },
    status: {
      configVersion: { current: 'old', desired: 'new' },
      conditions: conditions.map(([type, status]) => ({
        ...{ type, status, reason: type, message: '', lastTransitionTime: BEGAN },
      })),
    },
  } as unknown as MachineConfigNode;
}

const WORKING = { [annotations.state]: 'Working', [annotations.currentConfig]: 'old' };
const done = (node: Node, machineConfigNode: MachineConfigNode) =>
  nodeReport({ node, machineConfigNode, progress: [{ kind: 'done', config: 'new' }], nowMs: NOW })
    .annotations[annotations.recentUpdates];

describe('the times of the last updates of a node', () => {
  it('get a new entry when an update is done, with whether it rebooted', () => {
    const rebooted = aRecord([
      ['Updated', 'False'],
      ['RebootedNode', 'True'],
    ]);
    expect(done(aNode(WORKING), rebooted)).toBe('[{"seconds":95,"rebooted":true}]');
    expect(done(aNode(WORKING), aRecord([['Updated', 'False']]))).toBe('[{"seconds":95,"rebooted":false}]');
  });

  it('keep the five newest, and drop what cannot be read', () => {
    const earlier = [1, 2, 3, 4, 5].map((seconds) => ({ seconds, rebooted: true }));
    const text = JSON.stringify([...earlier.slice(0, 2), 'x', { seconds: -1 }, ...earlier.slice(2)]);
    const node = aNode({ ...WORKING, [annotations.recentUpdates]: text });
    const kept = done(node, aRecord([['Updated', 'False']]));
    expect(JSON.parse(String(kept)).map((one: { seconds: number }) => one.seconds)).toEqual([95, 1, 2, 3, 4]);
  });

  it('have no entry for an update that failed on the way, for none, or for a repeated report', () => {
    const record = aRecord([['Updated', 'False']]);
    expect(done(aNode({ ...WORKING, [annotations.state]: 'Degraded' }), record)).toBeUndefined();
    expect(done(aNode(WORKING), aRecord([['Updated', 'True']]))).toBeUndefined();
    expect(done(aNode({ ...WORKING, [annotations.state]: 'Done' }), record)).toBeUndefined();
  });

  it('are empty where the annotation is absent or is no list', () => {
    expect(recentUpdates(aNode({}))).toEqual([]);
    expect(recentUpdates(aNode({ [annotations.recentUpdates]: '{}' }))).toEqual([]);
    expect(recentUpdates(aNode({ [annotations.recentUpdates]: '[' }))).toEqual([]);
  });
});
