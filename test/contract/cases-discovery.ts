/** Discovery. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { eventually } from './eventually.ts';
import { type Loose, listOf } from './loose.ts';
import type { Scene } from './scene.ts';

const aggregated = (version: string) =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
/** As kubectl asks: the newest form first. */
const ANY = `${aggregated('v2')},${aggregated('v2beta1')},application/json`;

function named(list: Loose | undefined, name: string, key = 'name'): Loose | undefined {
  return list === undefined ? undefined : listOf(list).find((entry) => String(entry[key]) === name);
}

/** A resource in aggregated discovery. */
async function discovered(
  scene: Scene,
  root: string,
  group: string,
  resource: string,
): Promise<Loose | undefined> {
  const { json } = await scene.get(root, { accept: aggregated('v2') });
  const found = listOf(json.items).find(
    (item) => (item.metadata?.name === undefined ? '' : String(item.metadata.name)) === group,
  );
  return named(found?.versions?.[0]?.resources, resource, 'resource');
}

export const discoveryCases = topic('discovery', {
  'the version is that of Kubernetes 1.33': async (scene) => {
    const { status, json } = await scene.get('/version');
    expect(status).toBe(200);
    expect(json).toMatchObject({
      major: '1',
      minor: '33',
      gitVersion: expect.stringMatching(/^v1\.33\.\d+/),
    });
    expect(Object.keys(json)).toEqual(
      expect.arrayContaining(['gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform']),
    );
  },

  'health is a word, and in full a list': async (scene) => {
    for (const path of ['/healthz', '/livez', '/readyz']) {
      const { status, body, headers } = await scene.get(path);
      expect([status, body, headers['content-type']]).toEqual([200, 'ok', 'text/plain; charset=utf-8']);
      const verbose = await scene.get(`${path}?verbose`);
      expect(verbose.body).toMatch(/^\[\+\]ping ok\n/);
      expect(verbose.body.endsWith(`${path.slice(1)} check passed\n`)).toBe(true);
    }
    const one = await scene.get('/readyz/ping');
    expect([one.status, one.body]).toEqual([200, 'ok']);
    expect((await scene.get('/readyz/none')).status).toBe(404);
  },

  'the core versions are listed at /api': async (scene) => {
    const { json } = await scene.get('/api');
    expect(json).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    expect(json.serverAddressByClientCIDRs?.[0]).toMatchObject({ clientCIDR: '0.0.0.0/0' });
  },

  'the groups are listed at /apis, each with its preferred version': async (scene) => {
    const { json } = await scene.get('/apis');
    expect([json.kind, json.apiVersion]).toEqual(['APIGroupList', 'v1']);
    const names = listOf(json.groups).map(({ name }) => String(name));
    expect(names).toEqual(
      expect.arrayContaining([
        'admissionregistration.k8s.io',
        'apiextensions.k8s.io',
        'apps',
        'authentication.k8s.io',
        'authorization.k8s.io',
        'batch',
        'coordination.k8s.io',
        'events.k8s.io',
        'policy',
        'rbac.authorization.k8s.io',
      ]),
    );
    const version = { groupVersion: 'apps/v1', version: 'v1' };
    expect(named(json.groups, 'apps')).toEqual({
      name: 'apps',
      versions: [version],
      preferredVersion: version,
    });
  },

  'the resources of a version are listed with their verbs and short names': async (scene) => {
    const { json } = await scene.get('/api/v1');
    expect([json.kind, json.groupVersion]).toEqual(['APIResourceList', 'v1']);
    expect(named(json.resources, 'configmaps')).toEqual({
      name: 'configmaps',
      singularName: 'configmap',
      namespaced: true,
      kind: 'ConfigMap',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['cm'],
      storageVersionHash: expect.stringMatching(/=$/),
    });
    expect(named(json.resources, 'namespaces')).toMatchObject({
      namespaced: false,
      shortNames: ['ns'],
      verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    });
    expect(named(json.resources, 'pods')).toMatchObject({ shortNames: ['po'], categories: ['all'] });
    expect(named(json.resources, 'pods/eviction')).toEqual({
      name: 'pods/eviction',
      singularName: '',
      namespaced: true,
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      verbs: ['create'],
    });
    expect(named(json.resources, 'serviceaccounts/token')).toMatchObject({
      group: 'authentication.k8s.io',
      version: 'v1',
      kind: 'TokenRequest',
      verbs: ['create'],
    });
  },

  'aggregated discovery tells everything in two answers': async (scene) => {
    for (const root of ['/api', '/apis']) {
      const { headers, json } = await scene.get(root, { accept: ANY });
      expect(headers['content-type']).toBe(aggregated('v2'));
      expect([json.kind, json.apiVersion]).toEqual(['APIGroupDiscoveryList', 'apidiscovery.k8s.io/v2']);
    }
    expect(await discovered(scene, '/api', '', 'configmaps')).toEqual({
      resource: 'configmaps',
      responseKind: { group: '', version: '', kind: 'ConfigMap' },
      scope: 'Namespaced',
      singularResource: 'configmap',
      shortNames: ['cm'],
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    });
    const pods = await discovered(scene, '/api', '', 'pods');
    expect(named(pods?.subresources, 'eviction', 'subresource')).toEqual({
      subresource: 'eviction',
      responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      verbs: ['create'],
    });
  },
  'forms of aggregated discovery that 1.33 has dropped or never had are answered with the plain lists':
    async (scene) => {
      for (const version of ['v2beta1', 'v9']) {
        const { headers, json } = await scene.get('/apis', {
          accept: `${aggregated(version)},application/json`,
        });
        expect([headers['content-type'], json.kind]).toEqual(['application/json', 'APIGroupList']);
        const alone = await scene.get('/apis', { accept: aggregated(version) });
        expect(alone.status).toBe(406);
      }
    },

  'aggregated discovery has a tag, and what is unchanged is not sent again': async (scene) => {
    const first = await scene.get('/api', { accept: ANY });
    const tag = String(first.headers.etag);
    expect(tag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(first.headers.vary).toBe('Accept');
    const second = await scene.get('/api', { accept: ANY, headers: { 'if-none-match': tag } });
    expect([second.status, second.body]).toEqual([304, '']);
  },

  'a defined kind appears in aggregated discovery': async (scene) => {
    const widgets = await defineWidgets(scene, {
      scope: 'Namespaced',
      names: { shortNames: ['wg'], categories: ['all'] },
      version: { subresources: { status: {} } },
    });
    const resource = await eventually('it is discovered', () =>
      discovered(scene, '/apis', widgets.group, 'widgets'),
    );
    expect(resource).toEqual({
      resource: 'widgets',
      responseKind: { group: widgets.group, version: 'v1', kind: 'Widget' },
      scope: 'Namespaced',
      singularResource: 'widget',
      shortNames: ['wg'],
      categories: ['all'],
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      subresources: [
        {
          subresource: 'status',
          responseKind: { group: widgets.group, version: 'v1', kind: 'Widget' },
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
  },
  'a slash at the end of a path changes nothing': async (scene) => {
    for (const path of ['/version/', '/api/', '/api/v1/', '/apis/apps/v1/', '/api/v1/namespaces/']) {
      expect([path, (await scene.get(path)).status]).toEqual([path, 200]);
    }
  },

  'the root lists the paths': async (scene) => {
    const { json } = await scene.get('/');
    expect(listOf(json.paths)).toEqual(
      expect.arrayContaining([
        '/api',
        '/api/v1',
        '/apis',
        '/apis/apps',
        '/apis/apps/v1',
        '/healthz',
        '/openapi/v3',
        '/version',
      ]),
    );
  },
});
