/**
 * The accounts of a sandbox: passwd, group and shadow in /etc, and those of the OS in /usr/lib.
 */
import { Failure } from '../../base/errors.ts';
import type { HostAccounts, HostFiles } from '../../node/host/index.ts';
import { commandFailure, groupIn, passwordHashIn, userIn, withPasswordHash } from '../../node/host/index.ts';

const SHADOW = '/etc/shadow';
const MAX_BYTES = 1024 ** 2;

export function createSandboxAccounts(files: HostFiles): HostAccounts {
  const text = async (path: string) => new TextDecoder().decode(await files.read(path, MAX_BYTES));
  const user = async (name: string) =>
    userIn(await text('/etc/passwd'), name) ?? userIn(await text('/usr/lib/passwd'), name);
  return {
    user,
    group: async (name) =>
      groupIn(await text('/etc/group'), name) ?? groupIn(await text('/usr/lib/group'), name),
    passwordHash: async (name) => passwordHashIn(await text(SHADOW), name),
    async setPasswordHash(name, hash) {
      if (/[:\n\0]/.test(hash)) {
        throw new Failure('stalled', 'InvalidPassword', `invalid password hash for user ${name}`);
      }
      if ((await user(name)) === undefined) {
        const stderr = `usermod: user '${name}' does not exist\n`;
        throw commandFailure({ command: 'usermod', args: ['-p', '<hidden>', name], stderr, exitCode: 6 });
      }
      const shadow = await text(SHADOW);
      const isListed = passwordHashIn(shadow, name) !== undefined;
      const next = isListed
        ? withPasswordHash(shadow, { user: name, hash })
        : `${shadow}${name}:${hash}::0:99999:7:::\n`;
      const stat = await files.stat(SHADOW);
      const { mode = 0o000, owner = { uid: 0, gid: 0 } } = stat ?? {};
      await files.write(SHADOW, { bytes: new TextEncoder().encode(next), mode, owner });
    },
  };
}
