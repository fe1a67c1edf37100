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

describe('a node is the last one that takes pods', () => {
  it.each<[string, readonly Node[], readonly string[], boolean]>([
    ['not where there is no other', [aNode('a')], [], false],
    ['not while another takes pods', [aNode('a'), aNode('b', 'millwright'), aNode('c')], [], false],
    ['not where people have cordoned all others', [aNode('a'), aNode('b', 'other')], [], false],
    ['where we have cordoned the other', [aNode('a'), aNode('b', 'millwright')], [], true],
    ['where the other is cordoned just now', [aNode('a'), aNode('b')], ['b'], true],
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
