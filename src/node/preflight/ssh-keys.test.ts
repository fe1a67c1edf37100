import { describe, expect, it } from 'vitest';
import type { NodeConfigParts } from '../../../test/support/a-node-config.ts';
import { aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';

const keys: NodeConfigParts = {
  passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 AAAA a'] }] },
};
const SSHD = '/etc/ssh/sshd_config';
const DROPIN = '/etc/ssh/sshd_config.d/10-keys.conf';
const INCLUDE = 'Include /etc/ssh/sshd_config.d/*.conf\n';
const PASSWD = { '/etc/passwd': 'root:x:0:0::/root:/bin/sh\ncore:x:1000:1000::/home/core:/bin/sh\n' };
const LINE = 'AuthorizedKeysFile .ssh/authorized_keys .ssh/authorized_keys.d/ignition\n';
const UNREAD =
  '/home/core/.ssh/authorized_keys.d/ignition: sshd of this node does not read it, so the keys have no effect (add a file of /etc/ssh/sshd_config.d/ with: AuthorizedKeysFile .ssh/authorized_keys .ssh/authorized_keys.d/ignition)';

const warnings = (files: { readonly [path: string]: string }, to: NodeConfigParts = keys, from = {}) =>
  judged(aChange(from, to), { files }).warnings;

describe('SSH keys', () => {
  it('are doubtful where there is no user for them', () => {
    expect(warnings({ '/etc/passwd': 'root:x:0:0::/root:/bin/sh\n', [SSHD]: LINE })).toEqual([
      '/home/core/.ssh/authorized_keys.d/ignition: there is no user core on this node, so its SSH keys are not written (create it: useradd --create-home core)',
    ]);
  });

  it.each<[string, { readonly [path: string]: string }, boolean]>([
    ['by default', { [SSHD]: 'UsePAM yes\n' }, false],
    ['by its configuration', { [SSHD]: LINE }, true],
    ['by a drop-in', { [SSHD]: INCLUDE, [DROPIN]: LINE }, true],
    ['by a drop-in that is not included', { [SSHD]: 'UsePAM yes\n', [DROPIN]: LINE }, false],
    ['by a comment', { [SSHD]: `#${LINE}` }, false],
    ['by a later value', { [SSHD]: `AuthorizedKeysFile .ssh/authorized_keys\n${LINE}` }, false],
    ['by a command', { [SSHD]: 'AuthorizedKeysCommand /usr/libexec/ssh-key-dir %u\n' }, true],
    ['by no command', { [SSHD]: 'AuthorizedKeysCommand none\n' }, false],
    ['in an unknown way', {}, true],
  ])('are doubtful unless sshd reads them: %s', (_, files, isRead) => {
    expect(warnings({ ...PASSWD, ...files })).toEqual(isRead ? [] : [UNREAD]);
  });

  it('are fine where the same config has sshd read them', () => {
    const to = { ...keys, ...filesOf({ [DROPIN]: LINE }) };
    expect(warnings({ ...PASSWD, [SSHD]: INCLUDE }, to)).toEqual([]);
  });

  it('ask nothing where they do not change', () => {
    expect(warnings({ [SSHD]: '' }, keys, keys)).toEqual([]);
    expect(warnings({ [SSHD]: '' }, {}, keys)).toEqual([]);
  });
});
