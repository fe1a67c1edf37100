import { describe, expect, it } from 'vitest';
import { anonymousUser, type User } from '../../rbac/index.ts';
import { type RequestInfo, requestInfo } from '../request-info.ts';
import { Query } from '../verbs/query-options.ts';
import { classifyFlow } from './flow-schema.ts';

const named = (name: string, ...groups: string[]): User => ({ name, groups });
const alice = named('alice');
const admin = named('admin', 'system:masters');
const account = named('system:serviceaccount:a:b', 'system:serviceaccounts', 'system:serviceaccounts:a');
const ours = named(
  'system:serviceaccount:openshift-machine-config-operator:machine-config-daemon',
  'system:serviceaccounts',
  'system:serviceaccounts:openshift-machine-config-operator',
);
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/a/leases/b';
const PODS = '/api/v1/namespaces/a/pods';

function infoOf(method: string, url: string): RequestInfo {
  const [path = '', query = ''] = url.split('?');
  const info = requestInfo({ method, path }, new Query(query));
  if (info === undefined) throw new Error(`${path} is a path`);
  return info;
}

describe('classifyFlow', () => {
  it.each<[string, User, string, string, string, boolean]>([
    ['ordinary users', alice, 'GET', PODS, 'everyone', false],
    ['anonymous users', anonymousUser, 'GET', '/version', 'everyone', false],
    ['administrators', admin, 'GET', PODS, 'administrators', false],
    ['service accounts', account, 'GET', `${PODS}/x`, 'workloads', false],
    ['components of Millwright', ours, 'GET', `${PODS}/x`, 'system', false],
    ['nodes', named('system:node:a', 'system:nodes'), 'GET', PODS, 'system', false],
    ['the scheduler', named('system:kube-scheduler'), 'GET', PODS, 'system', false],
    ['updates of a Lease', alice, 'PUT', LEASE, 'leader-election', false],
    ['anonymous updates of a Lease', anonymousUser, 'PUT', LEASE, 'everyone', false],
    ['lists of Leases', alice, 'GET', '/apis/coordination.k8s.io/v1/leases', 'everyone', false],
    ['watches', alice, 'GET', `${PODS}?watch=1`, 'everyone', true],
    ['logs', alice, 'GET', `${PODS}/x/log`, 'everyone', true],
  ])('classifies requests of or for %s', (_, user, method, url, level, isStream) => {
    expect(classifyFlow({ user, info: infoOf(method, url) })).toEqual({
      kind: 'limited',
      level,
      user: user.name,
      isStream,
    });
  });

  it.each(['/healthz', '/livez', '/readyz', '/readyz/etcd', '/livez/ping'])('exempts %s', (path) => {
    expect(classifyFlow({ user: anonymousUser, info: infoOf('GET', path) })).toEqual({ kind: 'exempt' });
  });

  it('does not exempt paths that only begin like a health check', () => {
    expect(classifyFlow({ user: alice, info: infoOf('GET', '/healthzz') }).kind).toBe('limited');
  });
});
