import { describe, expect, it } from 'vitest';
import type { MachineConfigNode } from '../api/index.ts';
import { nodeRows } from './node-rows.ts';
import { pinnedImages } from './pinned-images.ts';
import type { PoolSummary } from './pool-summary.ts';

const THEN = '2026-01-01T00:00:00Z';
const NOW = '2026-01-01T00:03:00Z';

function aRecord(
  { progressing, degraded }: { readonly progressing: string; readonly degraded: string },
  pinnedImageSets: NonNullable<MachineConfigNode['status']>['pinnedImageSets'] = [],
): MachineConfigNode {
  const condition = (type: string, status: string) => ({
    ...{ type, status: status as 'True' | 'False', reason: 'r', message: 'm', lastTransitionTime: THEN },
  });
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigNode',
    metadata: { name: 'n' },
    spec: { node: { name: 'n' }, pool: { name: 'worker' }, configVersion: { desired: 'v1' } },
    status: {
      conditions: [
        condition('PinnedImageSetsProgressing', progressing),
        condition('PinnedImageSetsDegraded', degraded),
      ],
      pinnedImageSets,
    },
  };
}

const rows = (record: MachineConfigNode) => {
  const images = pinnedImages(record);
  const node = { name: 'n', state: 'updated', current: 'v1', desired: 'v1', ...(images && { images }) };
  // Only what rows are made of.
  return nodeRows({ target: 'v1', nodes: [node] } as unknown as PoolSummary, NOW).map(
    ({ name, text }) => `${name}: ${text}`,
  );
};

describe('the status of pinned images', () => {
  it('has no row for a node that has them', () => {
    expect(rows(aRecord({ progressing: 'False', degraded: 'False' }))).toEqual([]);
  });

  it('says that a node is prefetching them', () => {
    expect(rows(aRecord({ progressing: 'True', degraded: 'False' }))).toEqual([
      'n: prefetching pinned images for 3m',
    ]);
  });

  it('says which set fails and why, in one row', () => {
    const failed = (name: string) => ({
      ...{ name, desiredGeneration: 2, lastFailedGeneration: 2, lastFailedGenerationError: 'no\nspace' },
    });
    const sets = [{ name: 'a', desiredGeneration: 1, currentGeneration: 1 }, failed('b'), failed('c')];
    expect(rows(aRecord({ progressing: 'True', degraded: 'True' }, sets))).toEqual([
      'n: pinned images failing for 3m: PinnedImageSet b: no space (and 1 more)',
    ]);
  });
});
