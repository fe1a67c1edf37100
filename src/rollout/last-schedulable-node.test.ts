import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { formatDrainRecord } from './drain-record.ts';
import { isLastSchedulableNode } from './last-schedulable-node.ts';

function aNode(name: string, by?: 'millwright' | 'other'): Node {
  const record = { request: 'drain-x', beganMs: 0, attempts: 1, attemptBeganMs: 0 };
  const given =
    by === undefined ? {} : { [annotations.drain]: formatDrainRecord({ ...record, cordonedBy: by }) };
  return {
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name, annotations: given } },
    spec: by === undefined ? {} : { unschedulable: true },
  };
}

describe('a node is the last schedulable one', () => {
  it.each<[string, readonly Node[], readonly string[], boolean]>([
    ['not if it is the only node', [aNode('a')], [], false],
    ['not while another is schedulable', [aNode('a'), aNode('b', 'millwright'), aNode('c')], [], false],
    ['not if administrators cordoned all others', [aNode('a'), aNode('b', 'other')], [], false],
    ['if we cordoned the other', [aNode('a'), aNode('b', 'millwright')], [], true],
    ['if the other is being cordoned', [aNode('a'), aNode('b')], ['b'], true],
    [
      'where one of the others comes back',
      [aNode('a'), aNode('b', 'other'), aNode('c', 'millwright')],
      [],
      true,
    ],
  ])('%s', (_, nodes, cordoning, isLast) => {
    expect(isLastSchedulableNode('a', nodes, new Set(cordoning))).toBe(isLast);
  });
});
