/**
 * Accounts of a real machine: `getent` and `usermod`.
 */
import { Failure } from '../../base/errors.ts';
import { groupIn, passwordHashIn, userIn } from './account-files.ts';
import type { Commands } from './command-runner.ts';
import type { HostAccounts } from './host.ts';

/** The exit code of `getent` for an unknown key. */
const NOT_FOUND = 2;

export function createLinuxAccounts(commands: Commands): HostAccounts {
  const entry = async (database: string, name: string): Promise<string> => {
    if (!isName(name)) return '';
    const { stdout, stderr, exitCode } = await commands.try('getent', [database, name]);
    if (exitCode === 0) return stdout;
    if (exitCode === NOT_FOUND) return '';
    const message = `error running getent ${database} ${name}: ${stderr}: exit status ${exitCode}`;
    throw new Failure('transient', 'CommandFailed', message);
  };
  return {
    user: async (name) => userIn(await entry('passwd', name), name),
    group: async (name) => groupIn(await entry('group', name), name),
    passwordHash: async (user) => passwordHashIn(await entry('shadow', user), user),
    async setPasswordHash(user, hash) {
      if (!isName(user) || /[:\n\0]/.test(hash)) {
        throw new Failure('stalled', 'InvalidPassword', `invalid password hash for user ${user}`);
      }
      await commands.runSecretly('usermod', { args: ['-p', hash, user], shown: ['-p', '<hidden>', user] });
    },
  };
}

/** A number would be looked up as an ID, and a leading dash read as a flag. */
function isName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_.@-]*\$?$/.test(name);
}
