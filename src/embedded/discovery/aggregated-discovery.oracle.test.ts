import { describe, expect, it } from 'vitest';
import { findPublished } from '../../../test/support/published.ts';
import { type APIGroupDiscoveryList, builtins } from '../../kubernetes/types/index.ts';
import { aggregatedDiscovery } from './aggregated-discovery.ts';
import type { ServedResource } from './served-resource.ts';

const found = await findPublished();
const isMissing = 'unavailable' in found;
const because = isMissing ? ` (skipped: ${found.unavailable})` : '';

const own = builtins.map((one): ServedResource => ({ ...one, origin: 'builtin' }));

describe.skipIf(isMissing)(`the published aggregated discovery${because}`, () => {
  it('has our groups and resources, in this order', async () => {
    if ('unavailable' in found) return;
    const published: APIGroupDiscoveryList = JSON.parse(
      await found.source('api/discovery/aggregated_v2.json'),
    );
    const ours = aggregatedDiscovery(own, 'apis');
    const groups = new Set(ours.items.map(({ metadata }) => metadata.name));
    const ofOurs = published.items.filter(({ metadata }) => groups.has(metadata.name));
    expect(ours.items.map(({ metadata }) => metadata)).toEqual(ofOurs.map(({ metadata }) => metadata));
    ours.items.forEach(({ versions: [version] }, index) => {
      const plurals = new Set(version?.resources.map(({ resource }) => resource));
      const there = ofOurs[index]?.versions.find((one) => one.version === version?.version);
      const resources = there?.resources.filter(({ resource }) => plurals.has(resource));
      expect(version).toEqual({ ...there, resources });
    });
  });
});
