import { describe, expect, it } from 'vitest';
import { anonymousUser, type User } from '../../rbac/index.ts';
import { requestInfo } from '../request-info.ts';
import { flowOf } from './flow-schema.ts';

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

describe('the flow of a request', () => {
  it.each<[string, User, string, string, string, boolean]>([
    ['of a person is for everyone', alice, 'list', PODS, 'everyone', false],
    ['of nobody known is for everyone', anonymousUser, 'get', '/version', 'everyone', false],
    ['of an administrator is their own', admin, 'list', PODS, 'administrators', false],
    ['of an account is that of workloads', account, 'get', `${PODS}/x`, 'workloads', false],
    ['of our own components is the system', ours, 'get', `${PODS}/x`, 'system', false],
    ['of a node is the system', named('system:node:a', 'system:nodes'), 'list', PODS, 'system', false],
    ['of the scheduler is the system', named('system:kube-scheduler'), 'list', PODS, 'system', false],
    ['for a lease is that of leaders', alice, 'update', LEASE, 'leader-election', false],
    ['for a lease from nobody known is not', anonymousUser, 'update', LEASE, 'everyone', false],
    ['for all leases is not', alice, 'list', '/apis/coordination.k8s.io/v1/leases', 'everyone', false],
    ['for a watch goes on', alice, 'watch', PODS, 'everyone', true],
    ['for a log goes on', alice, 'get', `${PODS}/x/log`, 'everyone', true],
  ])('%s', (_, user, verb, path, level, isStream) => {
    const info = requestInfo(path);
    if (info === undefined) throw new Error(`${path} is a path`);
    expect(flowOf({ user, info, verb })).toEqual({ kind: 'limited', level, user: user.name, isStream });
  });

  it.each(['/healthz', '/livez', '/readyz', '/readyz/etcd', '/livez/ping'])('%s never waits', (path) => {
    expect(flowOf({ user: anonymousUser, info: { kind: 'path', path }, verb: 'get' })).toEqual({
      kind: 'exempt',
    });
  });

  it('is limited for what only looks like health', () => {
    const info = { kind: 'path', path: '/healthzz' } as const;
    expect(flowOf({ user: alice, info, verb: 'get' }).kind).toBe('limited');
  });
});
