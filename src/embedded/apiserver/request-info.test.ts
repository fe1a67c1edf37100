import { describe, expect, it } from 'vitest';
import { requestInfo } from './request-info.ts';
import { Query } from './verbs/query-options.ts';

const infoOf = (method: string, path: string, query = '') => requestInfo({ method, path }, new Query(query));

describe('requestInfo', () => {
  const nothing = { namespace: '', name: '', subresource: '', rest: [], isOldWatch: false };
  const core = { kind: 'resource', group: '', version: 'v1', ...nothing };
  it.each([
    ['/api/v1/pods', { ...core, resource: 'pods' }],
    ['/api/v1/pods/', { ...core, resource: 'pods' }],
    [
      '/api/v1/namespaces/a/pods/b/log',
      { ...core, resource: 'pods', namespace: 'a', name: 'b', subresource: 'log' },
    ],
    ['/api/v1/namespaces', { ...core, resource: 'namespaces' }],
    ['/api/v1/namespaces/a', { ...core, resource: 'namespaces', namespace: 'a', name: 'a' }],
    [
      '/api/v1/namespaces/a/finalize',
      { ...core, resource: 'namespaces', namespace: 'a', name: 'a', subresource: 'finalize' },
    ],
    [
      '/api/v1/namespaces/a/status',
      { ...core, resource: 'namespaces', namespace: 'a', name: 'a', subresource: 'status' },
    ],
    [
      '/apis/apps/v1/namespaces/a%2Fdeployments/b/scale',
      { ...core, group: 'apps', resource: 'deployments', namespace: 'a', name: 'b', subresource: 'scale' },
    ],
    [
      '/api/v1/watch/namespaces/a/secrets/b',
      { ...core, resource: 'secrets', namespace: 'a', name: 'b', isOldWatch: true },
    ],
    [
      '/api/v1/nodes/n/proxy/some/path',
      { ...core, resource: 'nodes', name: 'n', subresource: 'proxy', rest: ['some', 'path'] },
    ],
    ['/api', { kind: 'path', path: '/api' }],
    ['/api/v1', { kind: 'path', path: '/api/v1' }],
    ['/apis/apps/v1', { kind: 'path', path: '/apis/apps/v1' }],
    ['/healthz', { kind: 'path', path: '/healthz' }],
    ['/', { kind: 'path', path: '/' }],
    ['/api%2Fv1%2Fpods', { ...core, resource: 'pods' }],
    ['/api/v1/nodes/a%E4b', { ...core, resource: 'nodes', name: 'a\ufffdb' }],
    ['/api/v1/pods/%zz', undefined],
  ])('parses the path %s', (path, info) => {
    const parsed = infoOf('GET', path);
    const { verb, targetName } = { verb: '', targetName: undefined, ...parsed };
    const derived = targetName === undefined ? { verb } : { verb, targetName };
    expect(parsed).toEqual(info === undefined ? undefined : { ...info, ...derived });
  });

  it.each([
    ['GET', '/api/v1/pods', '', 'list', ''],
    ['GET', '/api/v1/pods', 'watch=1', 'watch', ''],
    ['GET', '/api/v1/pods', 'fieldSelector=metadata.name%3Da', 'list', 'a'],
    ['GET', '/api/v1/pods', 'fieldSelector=metadata.name%3Da&watch=true', 'watch', 'a'],
    ['GET', '/api/v1/watch/pods', '', 'watch', ''],
    ['GET', '/api/v1/watch/namespaces/a/pods/b', '', 'watch', 'b'],
    ['GET', '/api/v1/nodes/a', 'watch=1', 'get', 'a'],
    ['HEAD', '/api/v1/nodes/a', '', 'get', 'a'],
    ['POST', '/api/v1/nodes', '', 'create', ''],
    ['PUT', '/api/v1/nodes/a/status', '', 'update', 'a'],
    ['PATCH', '/api/v1/nodes/a', '', 'patch', 'a'],
    ['DELETE', '/api/v1/nodes/a', '', 'delete', 'a'],
    ['DELETE', '/api/v1/nodes', 'fieldSelector=metadata.name%3Da', 'deletecollection', ''],
    ['POST', '/healthz', '', 'post', undefined],
  ])('derives the verb of %s %s?%s', (method, path, query, verb, targetName) => {
    expect(infoOf(method, path, query)).toMatchObject({
      verb,
      ...(targetName === undefined ? {} : { targetName }),
    });
  });
});
