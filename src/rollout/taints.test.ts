import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node, Taint } from '../kubernetes/types/index.ts';
import { taintsFor, taintsWhenSent } from './taints.ts';

const update: Taint = { key: 'UpdateInProgress', effect: 'PreferNoSchedule' };
const other: Taint = { key: 'gpu', effect: 'NoSchedule', value: 'yes' };
const sibling: Taint = { key: 'UpdateInProgress', effect: 'NoSchedule' };

function aNode(
  desired: string,
  taints: readonly Taint[] | undefined,
  imageKeys: readonly string[] = [],
): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'n',
      annotations: {
        [annotations.currentConfig]: 'v0',
        [annotations.desiredConfig]: desired,
        ...Object.fromEntries(imageKeys.map((key) => [key, 'i'])),
      },
    },
    spec: taints === undefined ? {} : { taints },
  };
}
const both = [annotations.currentImage, annotations.desiredImage];
const plain = { config: 'v1' };
const layered = { config: 'v1', layered: { config: 'v1', image: 'i' } };

describe('the taint of nodes that wait for an update', () => {
  it.each<[string, Node, readonly Taint[] | undefined]>([
    ['is added to a node without the target', aNode('v0', undefined), [update]],
    ['is added after taints of other writers', aNode('v0', [other]), [other, update]],
    ['is distinct from one with another effect', aNode('v0', [sibling]), [sibling, update]],
    ['stays while the node waits', aNode('v0', [other, update]), undefined],
    ['counts with any value', aNode('v0', [{ ...update, value: 'x' }]), undefined],
    ['is removed when the node gets the target', aNode('v1', [update, other]), [other]],
    ['is removed in all its copies', aNode('v1', [update, other, { ...update, value: 'x' }]), [other]],
    ['is not added to a node with the target', aNode('v1', [other]), undefined],
    ['stays on a node that is still in image mode', aNode('v1', [update], both), undefined],
    [
      'is removed from a node whose desired image was removed',
      aNode('v1', [update], [annotations.currentImage]),
      [],
    ],
    ['is not added to a node without a daemon', { ...aNode('', []), metadata: { name: 'n' } }, undefined],
  ])('%s', (_, node, expected) => {
    expect(taintsFor(node, plain)).toEqual(expected);
  });

  it.each<[string, readonly Taint[] | undefined, readonly Taint[] | undefined]>([
    ['is removed with the write that sends the node', [update, other], [other]],
    ['leaves no other behind', [update], []],
    ['is distinct from one with another effect when the node is sent', [sibling], undefined],
    ['needs no removal from a node without taints that is sent', undefined, undefined],
  ])('%s', (_, taints, expected) => {
    expect(taintsWhenSent(aNode('v0', taints))).toEqual(expected);
  });

  it('depends on image and config if the pool builds images', () => {
    expect(taintsFor(aNode('v1', [], both), layered)).toBeUndefined();
    expect(taintsFor(aNode('v1', []), layered)).toEqual([update]);
    expect(taintsFor(aNode('v0', [], both), layered)).toEqual([update]);
  });
});
