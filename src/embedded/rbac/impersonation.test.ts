import { describe, expect, it } from 'vitest';
import { forbiddenText } from './attributes.ts';
import { type ImpersonationHeaders, impersonation } from './impersonation.ts';
import type { User } from './user.ts';

const alice: User = { name: 'alice', groups: ['system:authenticated'] };
const ask = (headers: ImpersonationHeaders) => impersonation(headers, alice, '/api?x=%3Cy');

function userFor(headers: ImpersonationHeaders): User | undefined {
  const result = ask(headers);
  return result.kind === 'as' ? result.user : undefined;
}

describe('impersonation', () => {
  it.each<[string, ImpersonationHeaders, string]>([
    ['a group', { 'impersonate-group': 'painters' }, '{Group  painters    }'],
    ['groups', { 'impersonate-group': ['a', 'b'] }, '{Group  a    } {Group  b    }'],
    ['a uid', { 'impersonate-uid': 'u' }, '{UID  u  authentication.k8s.io/v1  }'],
    ['an extra value', { 'impersonate-extra-foo': 'u' }, '{UserExtra  u  authentication.k8s.io/v1  foo}'],
    ['an empty user', { 'impersonate-user': '', 'impersonate-group': '' }, '{Group      }'],
    [
      'all of them',
      { 'impersonate-group': 'a', 'impersonate-uid': 'u', 'impersonate-extra-foo': '<v>' },
      '{Group  a    } {UserExtra  &lt;v&gt;  authentication.k8s.io/v1  foo} {UID  u  authentication.k8s.io/v1  }',
    ],
  ])('without a user fails: %s', (_, headers, requests) => {
    const body = `Internal Server Error: "/api?x=%3Cy": requested [${requests}] without impersonating a user\n`;
    expect(ask(headers)).toEqual({ kind: 'failed', body });
  });

  it.each<ImpersonationHeaders>([{}, { accept: 'x' }, { 'impersonate-user': '' }])(
    'is not asked for by %j',
    (headers) => {
      expect(ask(headers)).toEqual({ kind: 'none' });
    },
  );

  it.each<[ImpersonationHeaders, User]>([
    [{ 'impersonate-user': 'd' }, { name: 'd', groups: ['system:authenticated'] }],
    [{ 'impersonate-user': ['d', 'e'] }, { name: 'd', groups: ['system:authenticated'] }],
    [
      { 'impersonate-user': 'd', 'impersonate-group': ['a', 'b', 'a'] },
      { name: 'd', groups: ['a', 'b', 'a', 'system:authenticated'] },
    ],
    [
      { 'impersonate-user': 'd', 'impersonate-group': '' },
      { name: 'd', groups: ['', 'system:authenticated'] },
    ],
    [
      { 'impersonate-user': 'd', 'impersonate-group': 'a, b' },
      { name: 'd', groups: ['a, b', 'system:authenticated'] },
    ],
    [
      { 'impersonate-user': 'd', 'impersonate-group': 'system:authenticated' },
      { name: 'd', groups: ['system:authenticated'] },
    ],
    [
      { 'impersonate-user': 'd', 'impersonate-group': ['system:masters', 'system:unauthenticated'] },
      { name: 'd', groups: ['system:masters', 'system:unauthenticated'] },
    ],
    [
      { 'impersonate-user': 'system:anonymous' },
      { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    ],
    [
      { 'impersonate-user': 'system:anonymous', 'impersonate-group': 'system:authenticated' },
      { name: 'system:anonymous', groups: ['system:authenticated', 'system:unauthenticated'] },
    ],
    [
      { 'impersonate-user': 'system:serviceaccount:ns:name' },
      {
        name: 'system:serviceaccount:ns:name',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      },
    ],
    [
      { 'impersonate-user': 'system:serviceaccount:ns:name', 'impersonate-group': 'g' },
      { name: 'system:serviceaccount:ns:name', groups: ['g', 'system:authenticated'] },
    ],
    [
      { 'impersonate-user': 'system:serviceaccount:Ns:name' },
      { name: 'system:serviceaccount:Ns:name', groups: ['system:authenticated'] },
    ],
    [
      {
        'impersonate-user': 'd',
        'impersonate-uid': '7',
        'impersonate-extra-acme.com%2fproject': ['a', 'b'],
        'impersonate-extra-bad%zz': 'q',
        'impersonate-extra-x': '',
      },
      {
        name: 'd',
        uid: '7',
        groups: ['system:authenticated'],
        extra: { 'acme.com/project': ['a', 'b'], 'bad%zz': ['q'], x: [''] },
      },
    ],
  ])('%j makes the user %j', (headers, user) => {
    expect(userFor(headers)).toEqual(user);
  });

  it('requires a permission for every attribute', () => {
    const result = ask({
      'impersonate-user': 'system:serviceaccount:ns:name',
      'impersonate-group': 'g',
      'impersonate-uid': '7',
      'impersonate-extra-k': ['v', 'w'],
    });
    const checks = result.kind === 'as' ? result.checks : [];
    const core = 'in API group ""';
    const authentication = 'in API group "authentication.k8s.io" at the cluster scope';
    expect(checks.map((check) => [check.name, forbiddenText(check)])).toEqual([
      ['name', `User "alice" cannot impersonate resource "serviceaccounts" ${core} in the namespace "ns"`],
      ['g', `User "alice" cannot impersonate resource "groups" ${core} at the cluster scope`],
      ['v', `User "alice" cannot impersonate resource "userextras/k" ${authentication}`],
      ['w', `User "alice" cannot impersonate resource "userextras/k" ${authentication}`],
      ['7', `User "alice" cannot impersonate resource "uids" ${authentication}`],
    ]);
  });

  it('handles keys of Object.prototype', () => {
    const user = userFor({ 'impersonate-user': 'd', 'impersonate-extra-__proto__': 'x' });
    expect(Object.keys(user?.extra ?? {})).toEqual(['__proto__']);
  });
});
