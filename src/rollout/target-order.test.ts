import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../kubernetes/types/index.ts';
import { compareForTargeting, type OrderKey, orderKeyOf } from './target-order.ts';

function key(name: string, zone: string | undefined, day: number, isBroken = false): OrderKey {
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      creationTimestamp: `2025-01-0${day}T00:00:00Z`,
      labels: zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone },
    },
    spec: {},
  };
  return orderKeyOf(node, { isBroken });
}

const ordered = (keys: readonly OrderKey[]) => keys.toSorted(compareForTargeting).map(({ name }) => name);

describe('the order of nodes', () => {
  const keys = [
    key('q', 'QQQ', 9),
    key('r-old', 'RRR', 1),
    key('r-new', 'RRR', 2),
    key('z-old', 'ZZZ', 1),
    key('z-new', 'ZZZ', 2),
    key('z-newest', 'ZZZ', 3),
    key('none-old', undefined, 1),
    key('none-new', undefined, 2),
    key('none-newest', undefined, 3),
  ];
  const names = keys.map(({ name }) => name);

  it('is by zone, the oldest first; nodes without a zone come last', () => {
    expect(ordered(keys)).toEqual(names);
  });

  it('does not depend on the order of the input', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(keys, { minLength: keys.length }), (shuffled) => {
        expect(ordered(shuffled)).toEqual(names);
      }),
    );
  });

  it('is by name among equals, and an empty zone is a zone', () => {
    expect(ordered([key('b', '', 1), key('a', '', 1), key('c', undefined, 1)])).toEqual(['a', 'b', 'c']);
  });

  it('begins with degraded nodes', () => {
    expect(ordered([...keys, key('broken', undefined, 9, true)])[0]).toBe('broken');
  });

  it('tolerates nodes without a creation time', () => {
    const bare: Node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n', creationTimestamp: null },
      spec: {},
    };
    expect(orderKeyOf(bare, { isBroken: false }).created).toBe('');
  });
});
