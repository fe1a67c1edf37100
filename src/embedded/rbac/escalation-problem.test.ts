import { describe, expect, it } from 'vitest';
import { listedRules } from '../../../test/support/listed-rules.ts';
import type { JsonObject } from '../../base/json.ts';
import { bootstrapPolicy } from './bootstrap-policy.ts';
import { escalationProblem, type PolicyWrite } from './escalation-problem.ts';
import { MAX_ATOMS } from './missing-rules.ts';
import {
  clusterRole,
  clusterRoleBinding,
  group,
  role,
  roleBinding,
  rule,
  urls,
  user,
} from './policy-builders.ts';
import type { User } from './user.ts';

const bob: User = { name: 'bob', groups: ['builders', 'system:authenticated'] };
const carol: User = { name: 'carol', groups: ['system:authenticated'] };
const inSpace = (name: string) => ({ namespace: 'esc', name });

/** Bob holds little; carol may escalate one role and all cluster roles, and bind two. */
const policy = {
  clusterRoles: [
    ...bootstrapPolicy.clusterRoles,
    clusterRole('carols', [
      rule('escalate', 'rbac.authorization.k8s.io', 'roles', 'named'),
      rule('escalate', 'rbac.authorization.k8s.io', 'clusterroles'),
      rule('bind', 'rbac.authorization.k8s.io', 'roles clusterroles', 'big view'),
    ]),
  ],
  clusterRoleBindings: [
    ...bootstrapPolicy.clusterRoleBindings,
    clusterRoleBinding('carols', [user('carol')]),
  ],
  roles: [
    role(inSpace('held'), [
      rule('get list', '', 'pods */scale'),
      rule('get update', 'apps', 'deployments', 'a b'),
    ]),
    role(inSpace('big'), [{ verbs: ['watch', 'get'], apiGroups: [''], resources: ['secrets', 'pods'] }]),
  ],
  roleBindings: [roleBinding(inSpace('held'), [group('builders')])],
};
const source = listedRules(policy);

const written = (rules: JsonObject[], more: JsonObject = {}): JsonObject => ({
  metadata: { name: 'r1' },
  rules,
  ...more,
});

function write(more: Partial<PolicyWrite> & { readonly object: JsonObject }): PolicyWrite {
  return { user: bob, resource: 'roles', namespace: 'esc', requestName: '', ...more };
}

const WHO = 'user "bob" (groups=["builders" "system:authenticated"])';
const lacks = (...lines: readonly string[]) => ({
  kind: 'forbidden',
  message: `${WHO} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`,
});

const big = [
  {
    apiGroups: ['', 'apps'],
    resources: ['secrets', 'pods', 'nodes/scale'],
    verbs: ['watch', 'get', 'list'],
  },
  {
    apiGroups: ['apps'],
    resources: ['deployments'],
    resourceNames: ['a', 'c', 'b'],
    verbs: ['get', 'delete'],
  },
  { apiGroups: [''], resources: ['secrets'], verbs: ['delete', 'get'] },
];

describe('a user who writes a role', () => {
  it('gets an error with the missing rules, sorted by resource', () => {
    expect(escalationProblem(write({ object: written(big) }), source)).toEqual(
      lacks(
        '{APIGroups:[""], Resources:["nodes/scale"], Verbs:["watch"]}',
        '{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["watch" "get" "list" "delete" "get"]}',
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["a"], Verbs:["delete"]}',
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["b"], Verbs:["delete"]}',
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["c"], Verbs:["get" "delete"]}',
        '{APIGroups:["apps"], Resources:["nodes/scale"], Verbs:["watch" "get" "list"]}',
        '{APIGroups:["apps"], Resources:["pods"], Verbs:["watch" "get" "list"]}',
        '{APIGroups:["apps"], Resources:["secrets"], Verbs:["watch" "get" "list"]}',
      ),
    );
  });

  it('holds in the cluster only what ClusterRoleBindings grant', () => {
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    expect(escalationProblem(write({ object: written(rules) }), source)).toBeUndefined();
    const wider = write({ resource: 'clusterroles', namespace: '', object: written(rules) });
    expect(escalationProblem(wider, source)).toEqual(
      lacks('{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'),
    );
  });

  it('holds paths individually', () => {
    const paths = ['/metrics', '/api/*', '/healthz', '/openapi/v3/x', '*', '/apis*'];
    const object = written([{ nonResourceURLs: paths, verbs: ['get', 'post'] }]);
    expect(escalationProblem(write({ resource: 'clusterroles', namespace: '', object }), source)).toEqual(
      lacks(
        '{NonResourceURLs:["*"], Verbs:["get"]}',
        '{NonResourceURLs:["*"], Verbs:["post"]}',
        '{NonResourceURLs:["/api/*"], Verbs:["post"]}',
        '{NonResourceURLs:["/apis*"], Verbs:["get"]}',
        '{NonResourceURLs:["/apis*"], Verbs:["post"]}',
        '{NonResourceURLs:["/healthz"], Verbs:["post"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["post"]}',
        '{NonResourceURLs:["/openapi/v3/x"], Verbs:["post"]}',
      ),
    );
  });

  it.each<[string, JsonObject[]]>([
    [
      'a subresource of all resources covers that of one',
      [{ apiGroups: [''], resources: ['nodes/scale'], verbs: ['get'] }],
    ],
    [
      'some names of those held',
      [{ apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['a'], verbs: ['update'] }],
    ],
    [
      'named objects of what is held as a whole',
      [{ apiGroups: [''], resources: ['pods'], resourceNames: ['x'], verbs: ['get'] }],
    ],
    ['rules without verbs give nothing', [{ apiGroups: [''], resources: ['secrets'], verbs: [] }]],
    ['no rules', []],
  ])('may grant what they hold: %s', (_, rules) => {
    expect(escalationProblem(write({ object: written(rules) }), source)).toBeUndefined();
  });

  it.each<[string, JsonObject, string]>([
    [
      'all names',
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] },
      '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}',
    ],
    [
      'everything',
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
    ],
    [
      'the subresource of all resources',
      { apiGroups: [''], resources: ['*/status'], verbs: ['get'] },
      '{APIGroups:[""], Resources:["*/status"], Verbs:["get"]}',
    ],
  ])('may not grant more than they hold: %s', (_, given, text) => {
    expect(escalationProblem(write({ object: written([given]) }), source)).toEqual(lacks(text));
  });

  it('gets an error with the missing roles of their bindings', () => {
    const broken = listedRules({
      clusterRoleBindings: [clusterRoleBinding('nope', [user('bob')])],
      roleBindings: [roleBinding(inSpace('nope'), [user('bob')])],
    });
    const object = written([{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]);
    const { message } = lacks('{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}');
    expect(escalationProblem(write({ object }), broken)).toEqual({
      kind: 'forbidden',
      message: `${message}; resolution errors: [roles.rbac.authorization.k8s.io "nope" not found]`,
    });
  });

  it('needs all rights to aggregate rules', () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const message = 'must have cluster-admin privileges to use the aggregationRule';
    const cluster = { resource: 'clusterroles', namespace: '' } as const;
    const gathering = written([], { aggregationRule });
    expect(escalationProblem(write({ ...cluster, object: gathering }), source)).toEqual({
      kind: 'forbidden',
      message,
    });
    expect(escalationProblem(write({ ...cluster, object: written([]), old: gathering }), source)).toEqual({
      kind: 'forbidden',
      message,
    });
    const empty = written([], { aggregationRule: { clusterRoleSelectors: [] } });
    expect(escalationProblem(write({ ...cluster, object: empty }), source)).toBeUndefined();
    const admin = listedRules({
      ...policy,
      clusterRoles: [...policy.clusterRoles, clusterRole('full', [rule('*', '*', '*'), urls('*', '*')])],
      clusterRoleBindings: [clusterRoleBinding('full', [user('bob')])],
    });
    expect(escalationProblem(write({ ...cluster, object: gathering }), admin)).toBeUndefined();
  });

  it('may escalate with the verb escalate, by name only if the request has one', () => {
    const object = { metadata: { name: 'named' }, rules: big };
    const asCarol = { user: carol, object };
    expect(escalationProblem(write({ ...asCarol }), source)).toMatchObject({ kind: 'forbidden' });
    expect(escalationProblem(write({ ...asCarol, requestName: 'named' }), source)).toBeUndefined();
    const cluster = write({ ...asCarol, resource: 'clusterroles', namespace: '' });
    expect(escalationProblem(cluster, source)).toBeUndefined();
  });

  it('may write anything in system:masters', () => {
    const root = { name: 'root', groups: ['system:masters'] };
    expect(escalationProblem(write({ user: root, object: written(big) }), source)).toBeUndefined();
  });

  it('may not change a role with more rules than they hold, except for garbage collection', () => {
    const old: JsonObject = {
      apiVersion: 'v1',
      kind: 'Role',
      ...written(big),
      metadata: { name: 'r1', uid: 'u' },
    };
    const changed = (metadata: JsonObject): PolicyWrite =>
      write({
        requestName: 'r1',
        old,
        object: { ...written(big), metadata: { name: 'r1', uid: 'u', ...metadata } },
      });
    expect(escalationProblem(changed({ labels: { a: 'b' } }), source)).toMatchObject({ kind: 'forbidden' });
    expect(
      escalationProblem(changed({ finalizers: ['a/b'], ownerReferences: [{ name: 'x' }] }), source),
    ).toBeUndefined();
    expect(
      escalationProblem(changed({ managedFields: [{ manager: 'x' }], labels: {} }), source),
    ).toBeUndefined();
  });

  it('grants nothing by malformed rules', () => {
    for (const rules of [
      null,
      'x',
      [null, 3, { verbs: 'get', apiGroups: [''], resources: ['secrets'] }, { verbs: [1] }],
    ]) {
      expect(escalationProblem(write({ object: { metadata: null, rules } }), source)).toBeUndefined();
    }
  });

  it('is denied very large rules as a whole, unless one rule covers them', () => {
    const many = Array.from({ length: MAX_ATOMS }, (_, index) => `r${index}`);
    const object = written([{ apiGroups: [''], resources: many, verbs: ['get', 'list'] }]);
    const problem = escalationProblem(write({ object }), source);
    expect(problem).toMatchObject({ kind: 'forbidden' });
    expect(problem?.kind === 'forbidden' ? problem.message.split('\n').length : 0).toBe(2);
    const full = listedRules({
      clusterRoles: [clusterRole('full', [rule('*', '*', '*')])],
      clusterRoleBindings: [clusterRoleBinding('full', [user('bob')])],
    });
    expect(escalationProblem(write({ object }), full)).toBeUndefined();
  });
});

describe('a user who binds a role', () => {
  const bound = (kind: string, name: string): JsonObject => ({
    metadata: { name: 'b1' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [],
  });
  const bind = (kind: string, name: string, more: Partial<PolicyWrite> = {}) =>
    escalationProblem(write({ resource: 'rolebindings', object: bound(kind, name), ...more }), source);

  it('must hold the rules of the role', () => {
    expect(bind('Role', 'held')).toBeUndefined();
    expect(bind('Role', 'big')).toEqual(
      lacks(
        '{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["watch" "get"]}',
      ),
    );
    expect(bind('ClusterRole', 'cluster-admin', { resource: 'clusterrolebindings', namespace: '' })).toEqual(
      lacks('{APIGroups:["*"], Resources:["*"], Verbs:["*"]}', '{NonResourceURLs:["*"], Verbs:["*"]}'),
    );
  });

  it('may bind roles with the verb bind', () => {
    expect(bind('Role', 'big', { user: carol })).toBeUndefined();
    const cluster = { user: carol, resource: 'clusterrolebindings', namespace: '' } as const;
    expect(bind('ClusterRole', 'view', cluster)).toBeUndefined();
    expect(bind('ClusterRole', 'edit', cluster)).toMatchObject({ kind: 'forbidden' });
  });

  it('cannot bind missing or impossible roles', () => {
    expect(bind('Role', 'nothere')).toEqual({ kind: 'notFound', name: 'nothere' });
    expect(bind('ClusterRole', 'nothere')).toEqual({ kind: 'notFound', name: 'nothere' });
    expect(bind('Odd', 'nothere')).toEqual({
      kind: 'unknownError',
      message: 'unsupported role reference kind: "Odd"',
    });
    const bad = (message: string) => ({ kind: 'badRequest', message });
    expect(bind('Role', 'big', { namespace: '' })).toEqual(bad('Namespace parameter required.'));
    expect(bind('Role', '')).toEqual(bad('Name parameter required.'));
    expect(bind('Role', 'a/b%')).toEqual(
      bad(`Name parameter invalid: "a/b%": may not contain '/';may not contain '%'`),
    );
    expect(bind('ClusterRole', '..')).toEqual(bad(`Name parameter invalid: "..": may not be '..'`));
  });

  it('needs no rights to change finalizers only', () => {
    const old = bound('Role', 'big');
    const object = { ...old, metadata: { name: 'b1', finalizers: ['a/b'] } };
    expect(bind('Role', 'big', { object, old })).toBeUndefined();
    expect(
      bind('Role', 'big', { object: { ...old, subjects: [{ kind: 'User', name: 'x' }] }, old }),
    ).toMatchObject({
      kind: 'forbidden',
    });
  });
});
