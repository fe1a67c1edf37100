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

describe('a document that cannot be given', () => {
  it.each([
    '/openapi/v3/',
    '/openapi/v3/none',
    '/openapi/v3/apis/none.example.com/v1',
    '/openapi/v3/api/v1/',
    '/openapi/v3/__proto__',
  ])('is not found: %s', (path) => {
    const answer = ask(path);
    expect([answer?.status, answer?.body]).toEqual([404, '']);
  });

  it.each([POLICY, '/openapi/v2'])('is not acceptable to who takes no JSON: %s', (path) => {
    for (const accept of ['text/html', 'application/yaml', 'garbage']) {
      expect(ask(path, { accept })).toMatchObject({ status: 406, body: '' });
    }
  });

  it('leads to the right one where the hash is a wrong one', () => {
    const answer = ask(POLICY, { query: 'hash=0&timeout=32s' });
    expect([answer?.status, header(answer, 'location')]).toEqual([
      301,
      indexOf()['apis/policy/v1'].serverRelativeURL,
    ]);
  });
});

describe('the index', () => {
  it('is a text to the header, and names a document for every group and version', () => {
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

  it('changes for the group whose definition changed, and for no other', () => {
    const before = indexOf();
    const after = indexOf([...own, { ...widget, schema: { type: 'object' } }]);
    const changed = Object.keys(before).filter(
      (path) => before[path].serverRelativeURL !== after[path].serverRelativeURL,
    );
    expect(changed).toEqual(['apis/one.example.com/v1']);
  });

  it('leads to bytes that are made once, also where other definitions come and go', () => {
    expect(ask(POLICY)?.body).toBe(ask(POLICY)?.body);
    expect(ask(POLICY, {}, [...own])?.body).toBe(ask(POLICY)?.body);
  });
});

describe('a document', () => {
  it('may be kept for ever under its hash, and is not sent to who has it', () => {
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

  it.each(Object.keys(indexOf()))('refers to nothing that it does not hold: %s', (path) => {
    const { paths, components } = documentOf(path);
    const names = Object.keys(components.schemas);
    expect(names).toEqual(names.toSorted());
    for (const referred of referredNames({ paths, components })) expect(names).toContain(referred);
  });

  it.each([...resources])('holds the kind, its list and how to patch it: $group $kind', (resource) => {
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

  it('says of options and failures which kind they are, also where a kind holds them', () => {
    const { schemas } = documentOf('api/v1').components;
    for (const kind of ['DeleteOptions', 'Status', 'WatchEvent', 'APIResourceList']) {
      const definition = schemas[`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`];
      expect(definition['x-kubernetes-group-version-kind']).toEqual([{ group: '', kind, version: 'v1' }]);
    }
  });

  it('says once of a path what all its operations take', () => {
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
      ...['allowWatchBookmarks', 'continue', 'fieldSelector', 'labelSelector', 'limit', 'pretty'],
      ...['resourceVersion', 'resourceVersionMatch', 'sendInitialEvents', 'timeoutSeconds', 'watch'],
    ]);
  });

  it('has a path for each door that is no stream', () => {
    const doors = Object.keys(documentOf('api/v1').paths).flatMap(
      (path) => path.split('/pods/{name}/')[1] ?? [],
    );
    expect(doors).toEqual(['binding', 'ephemeralcontainers', 'eviction', 'log', 'resize', 'status']);
  });

  it('of a definition has its paths and its patches, which are no strategic ones', () => {
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

describe('the older description', () => {
  it('holds every kind, and no reference that leads nowhere', () => {
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

  it('describes nothing in protobuf, which satisfies older versions of kubectl', () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const answer = ask('/openapi/v2', { accept });
    expect(header(answer, 'content-type')).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    expect(new TextDecoder().decode(Uint8Array.from(Object.values(answer?.body ?? {})))).toBe(
      '\n\x032.0\x12\x12\n\nKubernetes\x12\x041.33',
    );
  });
});
