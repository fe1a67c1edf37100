import { expect, it } from 'vitest';
import { Fleet } from '../../../../test/support/a-fleet.ts';
import { aCondition, foundIn, texts } from '../../../../test/support/doctor-facts.ts';
import { annotations, type MachineConfigNode } from '../../../api/index.ts';
import { pinnedImages } from './pinned-images.ts';

it('are images of a set that a node cannot pull', () => {
  const fleet = new Fleet().pool('worker', 1);
  const life = fleet.life('worker-0');
  const status = {
    conditions: [aCondition('PinnedImageSetsDegraded', 'True')],
    pinnedImageSets: [
      {
        name: 'apps',
        desiredGeneration: 2,
        lastFailedGeneration: 2,
        lastFailedGenerationError: 'no route to host',
      },
    ],
  };
  life.record = { ...life.record, status } as unknown as MachineConfigNode;
  expect(texts(foundIn(pinnedImages, fleet))).toEqual([
    'PinnedImagesFailing: node worker-0 cannot keep the images of PinnedImageSet apps: no route to host',
  ]);
});

it('are sets that a pool has too many of', () => {
  const fleet = new Fleet().pool('worker', 1);
  fleet.annotate('worker', { [annotations.pinnedImageSetsProblem]: 'it selects 101' });
  expect(texts(foundIn(pinnedImages, fleet))).toEqual([
    'PinnedImageSetsRefused: pool worker cannot use all of its PinnedImageSets: it selects 101',
  ]);
});

it('are none where nothing fails', () => {
  expect(foundIn(pinnedImages, new Fleet().pool('worker', 1))).toEqual([]);
});
