import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../base/yaml/index.ts';
import { builtins, configMap } from '../../kubernetes/types/index.ts';
import type { DiscoveryRequest } from './discovery-request.ts';
import { discoveryResponse } from './discovery-response.ts';
import type { DiscoveryResponse } from './response.ts';
import type { ServedResource } from './served-resource.ts';

const resources: readonly ServedResource[] = [
  ...builtins.map((one): ServedResource => ({ ...one, origin: 'builtin' })),
  { ...configMap, ...{ origin: 'custom', group: 'one.example.com', kind: 'Widget', plural: 'widgets' } },
];
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const ask = (path: string, more: Omit<DiscoveryRequest, 'path'> = {}) =>
  discoveryResponse({ path, ...more }, resources);
const header = (answer: DiscoveryResponse | undefined, wanted: string) =>
  answer?.headers.find(([name]) => name === wanted)?.[1];
const textOf = (answer: DiscoveryResponse | undefined) => String(answer?.body);
const jsonOf = (answer: DiscoveryResponse | undefined) => JSON.parse(textOf(answer));

describe('an unknown path', () => {
  it.each([
    '',
    'api',
    '//',
    '//api',
    '/apiz',
    '/api/v1/pods',
    '/api//v1',
    '/apis/apps/v1/deployments',
    '/healthz',
    '/version/x',
    '/openapi',
    '/openapi/',
    '/openapi/v1',
  ])('is not served by discovery: %s', (path) => {
    expect(ask(path)).toBeUndefined();
  });

  it.each([
    '/apis/none.example.com',
    '/apis/none.example.com/v1',
    '/apis/one.example.com/v9',
    '/apis//v1',
    '/apis//',
    '/apis/__proto__/v1',
  ])('is a plain 404 if it is in no built-in group: %s', (path) => {
    const answer = ask(path, { accept: 'text/html' });
    expect([answer?.status, textOf(answer)]).toEqual([404, '404 page not found\n']);
    expect(header(answer, 'content-type')).toBe('text/plain; charset=utf-8');
    expect(header(answer, 'x-content-type-options')).toBe('nosniff');
  });

  it.each(['/api/v9', '/apis/apps/v9', '/apis/apps/v9/'])(
    'is a Status if it is in a built-in group: %s',
    (path) => {
      const answer = ask(path);
      expect(answer?.status).toBe(404);
      expect(textOf(answer)).toBe(
        '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}\n',
      );
    },
  );
});

describe('a client that accepts no supported media type', () => {
  const routed =
    '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const handled =
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';

  it.each([
    ['/api', 'text/html', routed],
    ['/api/v1', 'text/html', routed],
    ['/apis/apps/v1', 'garbage', routed],
    ['/version', 'application/yaml', '406: Not Acceptable\n\nAvailable representations: application/json'],
    ['/apis', 'text/html', handled],
    ['/apis/apps', 'text/html', handled],
    ['/apis/one.example.com', 'text/html', handled],
    ['/apis/one.example.com/v1', 'text/html', handled],
    ['/api', 'application/json;as=Table;v=v1;g=meta.k8s.io', handled],
    ['/api/v1', AGGREGATED, handled],
    ['/apis/apps', AGGREGATED, handled],
  ])('gets a 406 at %s with %s', (path, accept, message) => {
    const answer = ask(path, { accept });
    expect(answer?.status).toBe(406);
    expect(jsonOf(answer)).toEqual({
      ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message },
      ...{ reason: 'NotAcceptable', code: 406 },
      ...(message === handled ? {} : { details: {} }),
    });
    expect(textOf(answer)).toBe(JSON.stringify(jsonOf(answer), null, 2));
  });
});

describe('discovery', () => {
  it('is one line of JSON that is not cached', () => {
    const answer = ask('/api', { serverAddress: '127.0.0.1:6443' });
    expect(answer).toEqual({
      status: 200,
      headers: [
        ['cache-control', 'no-cache, private'],
        ['content-type', 'application/json'],
      ],
      body: '{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"127.0.0.1:6443"}]}\n',
    });
  });

  it.each([
    ['/api', 'APIVersions'],
    ['/api/', 'APIVersions'],
    ['/api/v1', 'APIResourceList'],
    ['/api/v1/', 'APIResourceList'],
    ['/apis', 'APIGroupList'],
    ['/apis/', 'APIGroupList'],
    ['/apis/apps', 'APIGroup'],
    ['/apis/apps/', 'APIGroup'],
    ['/apis/apps/v1', 'APIResourceList'],
    ['/apis/one.example.com/v1/', 'APIResourceList'],
  ])('serves %s as %s', (path, kind) => {
    expect(jsonOf(ask(path)).kind).toBe(kind);
  });

  it.each<[string, Omit<DiscoveryRequest, 'path'>, boolean]>([
    ['who asks for it', { query: 'pretty=true' }, true],
    ['curl', { userAgent: 'curl/8.5.0' }, true],
    ['curl that does not want it', { userAgent: 'curl/8.5.0', query: 'pretty=false' }, false],
    ['who asks for nonsense', { query: 'pretty=x' }, false],
    ['kubectl', { userAgent: 'kubectl/v1.33.1', query: 'timeout=32s' }, false],
  ])('is indented as kube-apiserver does for %s', (_who, more, isIndented) => {
    for (const accept of ['application/json', AGGREGATED]) {
      expect(textOf(ask('/api', { accept, ...more })).startsWith('{\n')).toBe(isIndented);
    }
  });

  it('is YAML with sorted keys on request', () => {
    const answer = ask('/apis/apps', { accept: 'application/yaml' });
    expect(header(answer, 'content-type')).toBe('application/yaml');
    expect(textOf(answer)).toBe(
      'apiVersion: v1\nkind: APIGroup\nname: apps\npreferredVersion:\n  groupVersion: apps/v1\n  version: v1\nversions:\n- groupVersion: apps/v1\n  version: v1\n',
    );
  });
});

describe('aggregated discovery', () => {
  it.each(['/api', '/apis', '/apis/'])('has an ETag at %s, and is 304 for a client that has it', (path) => {
    const first = ask(path, { accept: AGGREGATED });
    expect(first?.status).toBe(200);
    const tag = header(first, 'etag') ?? '';
    expect(tag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(first?.headers).toContainEqual(['content-type', AGGREGATED]);
    expect(first?.headers).toContainEqual(['vary', 'Accept']);
    expect(first?.headers).toContainEqual(['cache-control', 'public']);
    const again = ask(path, { accept: AGGREGATED, ifNoneMatch: tag });
    expect([again?.status, again?.body]).toEqual([304, '']);
    expect(header(again, 'etag')).toBe(tag);
  });

  it('has another ETag when the resources change', () => {
    const [tag, other] = [resources, resources.slice(1)].map((served) =>
      header(discoveryResponse({ path: '/api', accept: AGGREGATED }, served), 'etag'),
    );
    expect(tag).not.toBe(other);
  });

  it('has the same contents and ETag in YAML', () => {
    const yaml = ask('/api', { accept: AGGREGATED.replace('json', 'yaml') });
    const json = ask('/api', { accept: AGGREGATED });
    expect(header(yaml, 'etag')).toBe(header(json, 'etag'));
    expect(parseYaml(textOf(yaml))).toMatchObject({ kind: 'ok', value: [{ value: jsonOf(json) }] });
  });
});

describe('the server', () => {
  it.each(['/version', '/version/'])('has the version of Kubernetes at %s', (path) => {
    const answer = ask(path, { accept: 'application/json, */*' });
    expect(jsonOf(answer)).toMatchObject({ major: '1', minor: '33', gitVersion: 'v1.33.13' });
    expect(textOf(answer).endsWith('"\n}')).toBe(true);
  });

  it('lists its paths at the root, also of custom resources', () => {
    const { paths } = jsonOf(ask('/', { accept: 'text/html' }));
    expect(paths).toEqual(paths.toSorted());
    expect(paths).toEqual(
      expect.arrayContaining([
        '/api',
        '/api/v1',
        '/apis',
        '/apis/apps',
        '/apis/apps/v1',
        '/apis/one.example.com/v1',
        '/healthz',
        '/openapi/v3',
        '/version',
      ]),
    );
  });
});
