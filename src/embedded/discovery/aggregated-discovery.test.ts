import { describe, expect, it } from 'vitest';
import { builtins, configMap } from '../../kubernetes/types/index.ts';
import { aggregatedDiscovery } from './aggregated-discovery.ts';
import type { ServedResource } from './served-resource.ts';

const own = builtins.map((one): ServedResource => ({ ...one, origin: 'builtin' }));

describe('aggregated discovery', () => {
  it('separates the core group, which has no name', () => {
    const [core, ...others] = aggregatedDiscovery(own, 'api').items;
    expect([core?.metadata, others]).toEqual([{ creationTimestamp: null }, []]);
    expect(aggregatedDiscovery(own, 'apis').items.some(({ metadata }) => metadata.name === undefined)).toBe(
      false,
    );
  });

  it('omits group and version of built-in kinds, except for subresources of another kind', () => {
    const pods = aggregatedDiscovery(own, 'api').items[0]?.versions[0]?.resources.find(
      ({ resource }) => resource === 'pods',
    );
    expect(pods?.responseKind).toEqual({ group: '', version: '', kind: 'Pod' });
    expect(pods?.subresources?.map(({ subresource }) => subresource)).toEqual([
      'attach',
      'binding',
      'ephemeralcontainers',
      'eviction',
      'exec',
      'log',
      'portforward',
      'proxy',
      'resize',
      'status',
    ]);
    expect(pods?.subresources?.find(({ subresource }) => subresource === 'eviction')).toEqual({
      subresource: 'eviction',
      responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      verbs: ['create'],
    });
  });

  it('has group and version of a custom kind, and omits empty fields', () => {
    const widget: ServedResource = {
      ...configMap,
      ...{
        origin: 'custom',
        group: 'one.example.com',
        kind: 'Widget',
        plural: 'widgets',
        singular: 'widget',
      },
      ...{ scope: 'Cluster', shortNames: [] },
    };
    expect(aggregatedDiscovery([widget], 'apis').items).toEqual([
      {
        metadata: { name: 'one.example.com', creationTimestamp: null },
        versions: [
          {
            version: 'v1',
            resources: [
              {
                resource: 'widgets',
                responseKind: { group: 'one.example.com', version: 'v1', kind: 'Widget' },
                scope: 'Cluster',
                singularResource: 'widget',
                verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
              },
            ],
            freshness: 'Current',
          },
        ],
      },
    ]);
  });
});
