import { describe, expect, it } from 'vitest';
import { aPool } from '../../test/support/build.ts';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import {
  desiredAnnotations,
  isSameTarget,
  isTargeted,
  isUpdated,
  type PoolTarget,
  targetLine,
  targetOf,
} from './pool-target.ts';

const plain: PoolTarget = { config: 'v1' };
const layered: PoolTarget = { config: 'v1', layered: { config: 'v1', image: 'i' } };
const unbuilt: PoolTarget = { config: 'v1', layered: { config: '', image: '' } };

/** Current and desired config, current and desired image. `undefined` leaves the key out. */
function aNode(...values: readonly (string | undefined)[]): Node {
  const keys = [
    annotations.currentConfig,
    annotations.desiredConfig,
    annotations.currentImage,
    annotations.desiredImage,
  ];
  const given = keys.flatMap((key, index) => (values[index] === undefined ? [] : [[key, values[index]]]));
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', annotations: Object.fromEntries([...given, [annotations.state, 'Done']]) },
    spec: {},
  };
}

describe('a node', () => {
  // The last two: is targeted, is updated.
  it.each<[string, PoolTarget, Node, boolean, boolean]>([
    ['without annotations', plain, aNode(), false, false],
    ['at the target', plain, aNode('v1', 'v1'), true, true],
    ['elsewhere', plain, aNode('v0', 'v0'), false, false],
    ['that is updating', plain, aNode('v0', 'v1'), true, false],
    ['that leaves image mode', plain, aNode('v1', 'v1', 'i', 'i'), false, false],
    ['with an empty image key', plain, aNode('v1', 'v1', undefined, ''), false, false],
    ['whose desired image was removed', plain, aNode('v1', 'v1', 'i'), true, false],
    ['with the image', layered, aNode('v1', 'v1', 'i', 'i'), true, true],
    ['that is updating to the image', layered, aNode('v1', 'v1', 'h', 'i'), true, false],
    ['with the previous image', layered, aNode('v1', 'v1', 'h', 'h'), false, false],
    ['with the image for another config', layered, aNode('v0', 'v0', 'i', 'i'), false, false],
    ['without the image', layered, aNode('v1', 'v1'), false, false],
    ['while there is no image', unbuilt, aNode('v1', 'v1'), false, false],
    ['while there is no image, with empty names', unbuilt, aNode('', '', '', ''), false, false],
  ])('%s', (_, target, node, targeted, updated) => {
    expect([isTargeted(node, target), isUpdated(node, target)]).toEqual([targeted, updated]);
  });

  it.each<[PoolTarget, string, string | null]>([
    [plain, 'v1', null],
    [layered, 'v1', 'i'],
    [{ config: 'v1', layered: { config: 'v0', image: '' } }, 'v0', null],
  ])(
    'gets the target %j in one write, with which it is no longer asked to fetch ahead',
    (target, config, image) => {
      expect(desiredAnnotations(target)).toEqual({
        [annotations.desiredConfig]: config,
        [annotations.desiredImage]: image,
        [annotations.fetchImage]: null,
      });
    },
  );
});

describe('a target', () => {
  it('is the configuration of the pool, or empty', () => {
    expect(targetOf(aPool('worker', { configuration: { name: 'v1' } }))).toEqual(plain);
    expect(targetOf(aPool('worker'))).toEqual({ config: '' });
  });

  it('has a text for conditions', () => {
    expect([plain, layered, unbuilt].map(targetLine)).toEqual([
      'MachineConfig v1',
      'MachineConfig v1 / Image i',
      'MachineConfig v1',
    ]);
  });

  it('is another one if the pool begins to build images', () => {
    expect([
      isSameTarget(plain, plain),
      isSameTarget(plain, unbuilt),
      isSameTarget(layered, unbuilt),
    ]).toEqual([true, false, false]);
  });
});
