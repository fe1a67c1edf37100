import { describe, expect, it } from 'vitest';
import { listedRules } from '../../../test/support/listed-rules.ts';
import type { Attributes, PathAttributes, ResourceAttributes } from './attributes.ts';
import { authorize } from './authorize.ts';
import { bootstrapPolicy } from './bootstrap-policy.ts';
import {
  account,
  clusterRole,
  clusterRoleBinding,
  group,
  role,
  roleBinding,
  rule,
  urls,
  user,
} from './policy-builders.ts';
import type { RuleSource } from './rule-source.ts';
import { anonymousUser, type User } from './user.ts';

const alice: User = { name: 'alice', groups: ['system:authenticated'] };
const carol: User = { name: 'carol', groups: ['builders', 'auditors', 'system:authenticated'] };

function get(asked: Partial<ResourceAttributes> & { readonly resource: string }): ResourceAttributes {
  const nothing = { group: '', version: 'v1', subresource: '', namespace: '', name: '' };
  return { kind: 'resource', user: alice, verb: 'get', ...nothing, ...asked };
}

function path(asked: Partial<PathAttributes> & { readonly path: string }): PathAttributes {
  return { kind: 'path', user: alice, verb: 'get', ...asked };
}

const here = (name: string) => ({ namespace: 'here', name });

/** One rule for alice, in the namespace `here`. */
function ruleFor(given: ReturnType<typeof rule>): RuleSource {
  return listedRules({
    roles: [role(here('reader'), [given])],
    roleBindings: [roleBinding(here('reads'), [user('alice')], 'reader')],
  });
}

describe('authorize', () => {
  it.each<[string, ReturnType<typeof rule>, ResourceAttributes, boolean]>([
    [
      'nothing that is not named',
      rule('get', '', 'pods'),
      get({ namespace: 'here', resource: 'secrets' }),
      false,
    ],
    ['another verb', rule('list', '', 'pods'), get({ namespace: 'here', resource: 'pods' }), false],
    ['another group', rule('get', 'apps', 'pods'), get({ namespace: 'here', resource: 'pods' }), false],
    ['another namespace', rule('get', '', 'pods'), get({ resource: 'pods', namespace: 'there' }), false],
    ['all namespaces', rule('get', '', 'pods'), get({ resource: 'pods', namespace: '' }), false],
    ['what is named', rule('get', '', 'pods'), get({ namespace: 'here', resource: 'pods' }), true],
    ['any verb', rule('*', '', 'pods'), get({ namespace: 'here', resource: 'pods' }), true],
    [
      'any group',
      rule('get', '*', 'pods'),
      get({ namespace: 'here', resource: 'pods', group: 'apps' }),
      true,
    ],
    [
      'any resource',
      rule('get', '', '*'),
      get({ namespace: 'here', resource: 'pods', subresource: 'log' }),
      true,
    ],
    [
      'a subresource by the resource',
      rule('get', '', 'pods'),
      get({ namespace: 'here', resource: 'pods', subresource: 'log' }),
      false,
    ],
    [
      'a subresource',
      rule('get', '', 'pods/log'),
      get({ namespace: 'here', resource: 'pods', subresource: 'log' }),
      true,
    ],
    [
      'the resource by its subresource',
      rule('get', '', 'pods/log'),
      get({ namespace: 'here', resource: 'pods' }),
      false,
    ],
    [
      'a subresource of all resources',
      rule('get', '', '*/scale'),
      get({ namespace: 'here', resource: 'pods', subresource: 'scale' }),
      true,
    ],
    [
      'the name of that subresource',
      rule('get', '', '*/scale'),
      get({ namespace: 'here', resource: 'scale' }),
      false,
    ],
    [
      'all subresources of one resource',
      rule('get', '', 'pods/*'),
      get({ namespace: 'here', resource: 'pods', subresource: 'log' }),
      false,
    ],
    [
      'a named object',
      rule('get', '', 'pods', 'a b'),
      get({ namespace: 'here', resource: 'pods', name: 'b' }),
      true,
    ],
    [
      'one that is not named',
      rule('get', '', 'pods', 'a b'),
      get({ namespace: 'here', resource: 'pods', name: 'c' }),
      false,
    ],
    [
      'those without a name',
      rule('get', '', 'pods', 'a b'),
      get({ namespace: 'here', resource: 'pods' }),
      false,
    ],
  ])('evaluates a rule for %s', (_, given, asked, allowed) => {
    expect(authorize(asked, ruleFor(given)).allowed).toBe(allowed);
  });

  it.each([
    ['/metrics', '/metrics', true],
    ['/metrics', '/metrics/', false],
    ['/debug/*', '/debug/a/b', true],
    ['/debug/*', '/debug', false],
    ['/debug*', '/debugger', true],
    ['*', '/anything', true],
    ['/a/*/c', '/a/b/c', false],
  ])('matches the path %s of a rule with the path %s of a request: %s', (given, asked, allowed) => {
    const source = listedRules({
      clusterRoles: [clusterRole('paths', [urls('get', given)])],
      clusterRoleBindings: [clusterRoleBinding('paths', [user('alice')])],
    });
    expect(authorize(path({ path: asked }), source).allowed).toBe(allowed);
    expect(authorize(path({ path: asked, verb: 'post' }), source).allowed).toBe(false);
  });

  it('separates rules for resources and for paths', () => {
    const source = listedRules({
      clusterRoles: [clusterRole('a', [rule('*', '*', '*')]), clusterRole('b', [urls('*', '*')])],
      clusterRoleBindings: [
        clusterRoleBinding('a', [user('alice')]),
        clusterRoleBinding('b', [user('carol')]),
      ],
    });
    expect(authorize(path({ path: '/metrics' }), source).allowed).toBe(false);
    expect(authorize(get({ resource: 'pods', user: carol }), source).allowed).toBe(false);
  });

  it('allows everything to system:masters', () => {
    const master = { name: 'root', groups: ['system:masters'] };
    expect(authorize(get({ resource: 'pods', user: master }), listedRules({}))).toEqual({
      allowed: true,
      reason: '',
    });
  });

  it.each([
    [alice, user('alice'), 'User "alice"'],
    [carol, group('auditors'), 'Group "auditors"'],
    [
      { name: 'system:serviceaccount:kube-system:x', groups: [] },
      account('x'),
      'ServiceAccount "x/kube-system"',
    ],
    [
      { name: 'system:serviceaccount:here:x', groups: [] },
      { kind: 'ServiceAccount', name: 'x' },
      'ServiceAccount "x/here"',
    ],
  ])(
    'the reason names the binding, the role and the first subject that fits (%j)',
    (asking, subject, text) => {
      const source = listedRules({
        roles: [role(here('reader'), [rule('get', '', 'pods')])],
        roleBindings: [roleBinding(here('reads'), [user('nobody'), subject, group('auditors')], 'reader')],
      });
      expect(authorize(get({ resource: 'pods', namespace: 'here', user: asking }), source)).toEqual({
        allowed: true,
        reason: `RBAC: allowed by RoleBinding "reads/here" of Role "reader" to ${text}`,
      });
    },
  );

  it.each<[string, User]>([
    ['system:serviceaccount:here:x', { name: 'system:serviceaccount:here:xx', groups: [] }],
    ['a name that ends alike', { name: 'system:serviceaccount:here2:x', groups: [] }],
    ['a name without the prefix', { name: 'here:x', groups: [] }],
    ['a group of that name', { name: 'y', groups: ['system:serviceaccount:here:x'] }],
    ['a colon at the wrong place', { name: 'system:serviceaccount:her:ex', groups: [] }],
  ])('does not confuse service accounts (%s)', (_, asking) => {
    const source = listedRules({
      roles: [role(here('reader'), [rule('get', '', 'pods')])],
      roleBindings: [roleBinding(here('reader'), [{ kind: 'ServiceAccount', name: 'x', namespace: 'here' }])],
    });
    expect(authorize(get({ resource: 'pods', namespace: 'here', user: asking }), source).allowed).toBe(false);
  });

  it('ignores service accounts without a namespace in ClusterRoleBindings', () => {
    const source = listedRules({
      clusterRoles: [clusterRole('all', [rule('*', '*', '*')])],
      clusterRoleBindings: [clusterRoleBinding('all', [{ kind: 'ServiceAccount', name: 'x' }])],
    });
    const asking = { name: 'system:serviceaccount::x', groups: [] };
    expect(authorize(get({ resource: 'pods', user: asking }), source).allowed).toBe(false);
  });

  it('skips bindings to missing roles and reports them if nothing else allows', () => {
    const missing = {
      clusterRoleBindings: [
        clusterRoleBinding('nope', [user('alice')]),
        clusterRoleBinding('nope2', [user('alice')]),
        clusterRoleBinding('nope', [user('alice')]),
      ],
      roleBindings: [roleBinding({ namespace: 'default', name: 'nope' }, [user('alice')])],
    };
    const asked = get({ resource: 'pods', namespace: 'default' });
    const not = (kind: string, name: string) => `${kind}.rbac.authorization.k8s.io "${name}" not found`;
    expect(authorize(asked, listedRules(missing))).toEqual({
      allowed: false,
      reason: `RBAC: [${not('clusterrole', 'nope')}, ${not('clusterrole', 'nope2')}, ${not('role', 'nope')}]`,
    });
    const one = { clusterRoleBindings: missing.clusterRoleBindings.slice(0, 1) };
    expect(authorize(asked, listedRules(one)).reason).toBe(`RBAC: ${not('clusterrole', 'nope')}`);
    const held = {
      roles: [role({ namespace: 'default', name: 'nope' }, [rule('get', '', 'pods')])],
      ...missing,
    };
    expect(authorize(asked, listedRules(held))).toMatchObject({ allowed: true });
  });

  it('does not look up roles of bindings for other users', () => {
    const looked: string[] = [];
    const source: RuleSource = {
      ...listedRules({
        clusterRoleBindings: [
          clusterRoleBinding('a', [user('bob')]),
          clusterRoleBinding('b', [user('alice')]),
        ],
      }),
      clusterRole: (name) => {
        looked.push(name);
        return undefined;
      },
    };
    authorize(get({ resource: 'pods' }), source);
    expect(looked).toEqual(['b']);
  });
});

describe('authorize with the bootstrap policy', () => {
  const source = listedRules(bootstrapPolicy);
  const reason = (name: string, to: string) =>
    `RBAC: allowed by ClusterRoleBinding "${name}" of ClusterRole "${name}" to ${to}`;

  it.each<[string, Attributes, string]>([
    [
      'anonymous users may read health endpoints',
      path({ path: '/healthz', user: anonymousUser }),
      reason('system:public-info-viewer', 'Group "system:unauthenticated"'),
    ],
    [
      'authenticated users may use discovery',
      path({ path: '/apis/apps' }),
      reason('system:discovery', 'Group "system:authenticated"'),
    ],
    [
      'controllers may access their resources',
      get({
        resource: 'jobs',
        group: 'batch',
        verb: 'list',
        user: { name: 'system:serviceaccount:kube-system:job-controller', groups: [] },
      }),
      reason('system:controller:job-controller', 'ServiceAccount "job-controller/kube-system"'),
    ],
  ])('%s', (_, asked, why) => {
    expect(authorize(asked, source)).toEqual({ allowed: true, reason: why });
  });

  it.each<[string, Attributes]>([
    ['anonymous users may not use discovery', path({ path: '/api', user: anonymousUser })],
    ['users may not read metrics', path({ path: '/metrics' })],
    ['users may not read pods', get({ resource: 'pods', namespace: 'default' })],
    [
      'users may not review the access of others',
      get({ verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' }),
    ],
  ])('%s', (_, asked) => {
    expect(authorize(asked, source)).toEqual({ allowed: false, reason: '' });
  });
});
