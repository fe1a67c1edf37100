import { expect, test } from 'vitest';
import { aNodeConfig } from '../../../test/support/a-node-config.ts';
import { passwordChanges } from './passwords.ts';
import { sshKeysFile } from './ssh-keys.ts';

const users = (...list: readonly object[]) =>
  aNodeConfig('c', { passwd: { users: list } } as Parameters<typeof aNodeConfig>[1]);

test('the keys of all users are in one file, one per line, that only core can read', () => {
  const config = users(
    { name: 'core', sshAuthorizedKeys: ['a', 'b'] },
    { name: 'x', sshAuthorizedKeys: ['c'] },
  );
  expect(sshKeysFile(config)).toEqual({
    user: 'core',
    folders: [
      { path: '/home/core/.ssh', mode: 0o700 },
      { path: '/home/core/.ssh/authorized_keys.d', mode: 0o700 },
    ],
    path: '/home/core/.ssh/authorized_keys.d/ignition',
    mode: 0o600,
    text: 'a\nb\nc\n',
  });
  expect(sshKeysFile(users()).text).toBe('');
});

const core = (passwordHash?: string) =>
  users({ name: 'core', ...(passwordHash !== undefined && { passwordHash }) });

test.each([
  ['is new is set', core(), core('x'), [{ user: 'core', hash: 'x' }]],
  ['is changed is set', core('x'), core('y'), [{ user: 'core', hash: 'y' }]],
  ['is removed is locked', core('x'), core(), [{ user: 'core', hash: '*' }]],
  ['is removed with its user is locked', core('x'), users(), [{ user: 'core', hash: '*' }]],
  ['becomes empty is locked', core('x'), core(''), [{ user: 'core', hash: '*' }]],
  ['is unchanged is kept', core('x'), core('x'), []],
  ['is in no config is kept', core(), users(), []],
])('a password that %s', (_, before, after, expected) => {
  expect(passwordChanges(before, after)).toEqual(expected);
});
