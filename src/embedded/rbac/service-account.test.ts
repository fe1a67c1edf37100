import { describe, expect, it } from 'vitest';
import {
  credentialId,
  isServiceAccount,
  parseServiceAccountName,
  type ServiceAccountIdentity,
  serviceAccountUser,
} from './service-account.ts';
import { asAuthenticated, type User } from './user.ts';

const KEY = 'authentication.kubernetes.io';
const account = { namespace: 'ns', name: 'robot', uid: 'u1' };

describe('serviceAccountUser', () => {
  it.each<[string, Partial<ServiceAccountIdentity>, User['extra']]>([
    ['a name alone', {}, undefined],
    ['a token', { credentialId: credentialId('t1') }, { [`${KEY}/credential-id`]: ['JTI=t1'] }],
    ['half a pod', { podName: 'p' }, undefined],
    ['a pod', { podName: 'p', podUid: 'pu' }, { [`${KEY}/pod-name`]: ['p'], [`${KEY}/pod-uid`]: ['pu'] }],
    ['a node', { nodeName: 'n' }, { [`${KEY}/node-name`]: ['n'] }],
    ['a node without a name', { nodeUid: 'nu' }, undefined],
    [
      'all',
      { credentialId: 'JTI=x', podName: 'p', podUid: 'pu', nodeName: 'n', nodeUid: 'nu' },
      {
        [`${KEY}/credential-id`]: ['JTI=x'],
        [`${KEY}/node-name`]: ['n'],
        [`${KEY}/node-uid`]: ['nu'],
        [`${KEY}/pod-name`]: ['p'],
        [`${KEY}/pod-uid`]: ['pu'],
      },
    ],
  ])('contains the bound object: %s', (_, bound, extra) => {
    expect(serviceAccountUser({ ...account, ...bound })).toEqual({
      name: 'system:serviceaccount:ns:robot',
      uid: 'u1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
      ...(extra === undefined ? {} : { extra }),
    });
  });

  it('restores namespace and name', () => {
    const { name } = serviceAccountUser(account);
    expect(parseServiceAccountName(name)).toEqual({ namespace: 'ns', name: 'robot' });
    expect(isServiceAccount(name, account)).toBe(true);
  });
});

describe('parseServiceAccountName', () => {
  it.each([
    '',
    'alice',
    'system:serviceaccount:',
    'system:serviceaccount:ns',
    'system:serviceaccount:ns:',
    'system:serviceaccount::x',
    'system:serviceaccount:Ns:x',
    'system:serviceaccount:ns:x:y',
    'system:serviceaccount:a.b:x',
    'system:serviceaccount:ns:x/y',
  ])('rejects %j', (name) => {
    expect(parseServiceAccountName(name)).toBeUndefined();
  });

  it('accepts names with dots', () => {
    expect(parseServiceAccountName('system:serviceaccount:ns:a.b')).toEqual({ namespace: 'ns', name: 'a.b' });
  });
});

describe('asAuthenticated', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['x', [], ['system:authenticated']],
    ['x', ['a'], ['a', 'system:authenticated']],
    ['x', ['system:authenticated', 'a'], ['system:authenticated', 'a']],
    ['x', ['system:unauthenticated'], ['system:unauthenticated']],
    ['system:anonymous', [], []],
  ])('changes the groups of %s from %j to %j', (name, groups, result) => {
    expect(asAuthenticated({ name, groups }).groups).toEqual(result);
  });
});
