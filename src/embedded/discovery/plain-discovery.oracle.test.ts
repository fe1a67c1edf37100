import { describe, expect, it } from 'vitest';
import { findPublished } from '../../../test/support/published.ts';
import { builtins } from '../../kubernetes/types/index.ts';
import { apiResourceList } from './plain-discovery.ts';
import { servedGroups } from './served-groups.ts';
import type { ServedResource } from './served-resource.ts';

const found = await findPublished();
const isMissing = 'unavailable' in found;
const because = isMissing ? ` (skipped: ${found.unavailable})` : '';

const own = builtins.map((one): ServedResource => ({ ...one, origin: 'builtin' }));

describe.skipIf(isMissing)(`the published lists of resources${because}`, () => {
  const versions = servedGroups(own).flatMap((group) => group.versions);

  it.each(versions)('match our resources of $group/$version, in this order', async (served) => {
    if ('unavailable' in found) return;
    const ours = apiResourceList(served).resources;
    const plurals = new Set(ours.map(({ name }) => name.split('/')[0]));
    const published = await found.resourcesOf(served.group);
    expect(ours).toEqual(published.filter(({ name }) => plurals.has(name.split('/')[0])));
  });
});
