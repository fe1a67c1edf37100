import { describe, expect, it } from 'vitest';
import { bodies, builtins, configMap } from '../../kubernetes/types/index.ts';
import type { DiscoveryRequest } from './discovery-request.ts';
import { discoveryResponse } from './discovery-response.ts';
import { referredNames } from './openapi-schema.ts';
import type { DiscoveryResponse } from './response.ts';
import { servedGroups } from './served-groups.ts';
import type { ServedResource } from './served-resource.ts';

const own = builtins.map((one): ServedResource => ({ ...one, origin: 'builtin' }));
const name = { group: 'one.example.com', version: 'v1', kind: 'Widget' };
const widget: ServedResource = {
  ...configMap,
  ...name,
  ...{ origin: 'custom', listKind: 'WidgetList', plural: 'widgets', scope: 'Cluster' },
  schema: { type: 'object', properties: { spec: { type: 'object', description: 'What it is' } } },
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'], takes: name }],
};
const resources: readonly ServedResource[] = [...own, widget];

const ask = (path: string, more: Omit<DiscoveryRequest, 'path'> = {}, served = resources) =>
  discoveryResponse({ path, ...more }, served);
const header = (answer: DiscoveryResponse | undefined, wanted: string) =>
  answer?.headers.find(([one]) => one === wanted)?.[1];
const jsonOf = (answer: DiscoveryResponse | undefined) =>
  JSON.parse(typeof answer?.body === 'string' ? answer.body : new TextDecoder().decode(answer?.body));
const documentOf = (path: string) => jsonOf(ask(`/openapi/v3/${path}`));
const indexOf = (served = resources) => jsonOf(ask('/openapi/v3', {}, served)).paths;

const POLICY = '/openapi/v3/apis/policy/v1';

describe('a failed OpenAPI request', () => {
  it.each([
    '/openapi/v3/',
    '/openapi/v3/none',
    '/openapi/v3/apis/none.example.com/v1',
    '/openapi/v3/api/v1/',
    '/openapi/v3/__proto__',
  ])('is 404 for %s', (path) => {
    const answer = ask(path);
    expect([answer?.status, answer?.body]).toEqual([404, '']);
  });

  it.each([POLICY, '/openapi/v2'])('is 406 for a client that does not accept JSON: %s', (path) => {
    for (const accept of ['text/html', 'application/yaml', 'garbage']) {
      expect(ask(path, { accept })).toMatchObject({ status: 406, body: '' });
    }
  });

  it('redirects a wrong hash to the right one', () => {
    const answer = ask(POLICY, { query: 'hash=0&timeout=32s' });
    expect([answer?.status, header(answer, 'location')]).toEqual([
      301,
      indexOf()['apis/policy/v1'].serverRelativeURL,
    ]);
  });
});

describe('the OpenAPI index', () => {
  it('has the content type text/plain, and a document for every group and version', () => {
    expect(header(ask('/openapi/v3', { accept: 'text/html' }), 'content-type')).toBe(
      'text/plain; charset=utf-8',
    );
    const index = indexOf();
    const versions = servedGroups(resources).flatMap(({ versions: served }) => served);
    const documents = versions.map(({ group, version }) =>
      group === '' ? `api/${version}` : `apis/${group}/${version}`,
    );
    for (const path of [...documents, 'api', 'apis', 'apis/apps', 'version']) {
      expect(index[path]?.serverRelativeURL).toMatch(
        new RegExp(`^/openapi/v3/${path}\\?hash=[0-9A-F]{128}$`),
      );
    }
    expect(index['apis/one.example.com']).toBeUndefined();
  });

  it('changes only for the group whose definition changed', () => {
    const before = indexOf();
    const after = indexOf([...own, { ...widget, schema: { type: 'object' } }]);
    const changed = Object.keys(before).filter(
      (path) => before[path].serverRelativeURL !== after[path].serverRelativeURL,
    );
    expect(changed).toEqual(['apis/one.example.com/v1']);
  });

  it('refers to documents that are serialized once, even if other definitions change', () => {
    expect(ask(POLICY)?.body).toBe(ask(POLICY)?.body);
    expect(ask(POLICY, {}, [...own])?.body).toBe(ask(POLICY)?.body);
  });
});

describe('an OpenAPI document', () => {
  it('is immutable under its hash, and 304 for a client that has it', () => {
    const { serverRelativeURL: url } = indexOf()['apis/policy/v1'];
    const [, query] = url.split('?');
    const answer = ask(POLICY, { query });
    const tag = header(answer, 'etag') ?? '';
    expect(`"${query.slice('hash='.length)}"`).toBe(tag);
    expect([answer?.status, header(answer, 'cache-control')]).toEqual([200, 'public, immutable']);
    expect(header(ask(POLICY), 'cache-control')).toBe('no-cache, private');
    for (const ifNoneMatch of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      expect(ask(POLICY, { ifNoneMatch })).toMatchObject({ status: 304, body: '' });
    }
    expect(ask(POLICY, { ifNoneMatch: '"x"' })?.status).toBe(200);
  });

  it.each(Object.keys(indexOf()))('has no dangling references: %s', (path) => {
    const { paths, components } = documentOf(path);
    const names = Object.keys(components.schemas);
    expect(names).toEqual(names.toSorted());
    for (const referred of referredNames({ paths, components })) expect(names).toContain(referred);
  });

  it.each([...resources])('has the kind, its list and its patches: $group $kind', (resource) => {
    const { group, version, kind, listKind, verbs } = resource;
    const { components, paths } = documentOf(group === '' ? `api/${version}` : `apis/${group}/${version}`);
    const described = JSON.stringify(Object.values(components.schemas));
    for (const one of listKind === undefined ? [kind] : [kind, listKind]) {
      expect(described).toContain(
        JSON.stringify({ 'x-kubernetes-group-version-kind': [{ group, kind: one, version }] }).slice(1, -1),
      );
    }
    const patches = Object.values<{ patch?: { 'x-kubernetes-group-version-kind': object } }>(paths).filter(
      ({ patch }) =>
        JSON.stringify(patch?.['x-kubernetes-group-version-kind']) ===
        JSON.stringify({ group, version, kind }),
    );
    expect(patches.length > 0).toBe(verbs.includes('patch'));
  });

  it('has the kinds of DeleteOptions and Status, also if a kind contains them', () => {
    const { schemas } = documentOf('api/v1').components;
    for (const kind of ['DeleteOptions', 'Status', 'WatchEvent', 'APIResourceList']) {
      const definition = schemas[`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`];
      expect(definition['x-kubernetes-group-version-kind']).toEqual([{ group: '', kind, version: 'v1' }]);
    }
  });

  it('has common parameters once per path', () => {
    const { paths } = documentOf('api/v1');
    const names = (parameters: readonly { name: string }[]) => parameters.map((one) => one.name);
    const object = paths['/api/v1/namespaces/{namespace}/configmaps/{name}'];
    expect(Object.keys(object)).toEqual(['get', 'put', 'delete', 'patch', 'parameters']);
    expect(names(object.parameters)).toEqual(['name', 'namespace', 'pretty']);
    expect(names(object.patch.parameters)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    expect(object.get.parameters).toBeUndefined();
    const overAll = paths['/api/v1/pods'];
    expect(overAll.get.parameters).toBeUndefined();
    expect(names(overAll.parameters)).toEqual([
      'allowWatchBookmarks',
      'continue',
      'fieldSelector',
      'labelSelector',
      'limit',
      'pretty',
      'resourceVersion',
      'resourceVersionMatch',
      'sendInitialEvents',
      'timeoutSeconds',
      'watch',
    ]);
  });

  it('has a path for each subresource that does not stream', () => {
    const subresources = Object.keys(documentOf('api/v1').paths).flatMap(
      (path) => path.split('/pods/{name}/')[1] ?? [],
    );
    expect(subresources).toEqual(['binding', 'ephemeralcontainers', 'eviction', 'log', 'resize', 'status']);
  });

  it('has no strategic merge patch for custom resources', () => {
    const { paths, components } = documentOf('apis/one.example.com/v1');
    const root = '/apis/one.example.com/v1/widgets';
    expect(Object.keys(paths)).toEqual([root, `${root}/{name}`, `${root}/{name}/status`]);
    expect(Object.keys(paths[`${root}/{name}`].patch.requestBody.content)).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
    ]);
    expect(Object.keys(components)).toEqual(['schemas']);
  });
});

describe('OpenAPI v2', () => {
  it('has every kind, and no dangling references', () => {
    const document = jsonOf(ask('/openapi/v2'));
    expect(document.swagger).toBe('2.0');
    const text = JSON.stringify(document);
    for (const { group, version, kind } of [...resources, ...bodies]) {
      expect(text).toContain(JSON.stringify([{ group, kind, version }]));
    }
    for (const [, referred = ''] of text.matchAll(/"\$ref":"([^"]*)"/g)) {
      expect(document.definitions).toHaveProperty([referred.replace('#/definitions/', '')]);
    }
  });

  it('is empty in protobuf, which satisfies older versions of kubectl', () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const answer = ask('/openapi/v2', { accept });
    expect(header(answer, 'content-type')).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    expect(new TextDecoder().decode(Uint8Array.from(Object.values(answer?.body ?? {})))).toBe(
      '\n\x032.0\x12\x12\n\nKubernetes\x12\x041.33',
    );
  });
});
