/**
 * The steps that change login: SSH keys and password hashes. The undo of each is the same with the configs swapped.
 */
import {
  NO_CORE_USER,
  type NodeConfig,
  passwordChanges,
  type SshKeysFile,
  sshKeysFile,
} from '../plan/index.ts';
import type { HostContext } from './context.ts';
import { revertFile } from './originals.ts';

export async function writeSshKeys({ host, log }: HostContext, to: NodeConfig): Promise<void> {
  const keys = sshKeysFile(to);
  const owner = await host.accounts.user(keys.user);
  if (owner === undefined) return log.line(NO_CORE_USER);
  log.line('updating SSH keys');
  await removeLinks({ host, log }, keys);
  if (keys.text === '') {
    await revertFile(host, keys.path);
    return;
  }
  const [outermost] = keys.folders;
  const there = outermost === undefined ? undefined : await host.files.stat(outermost.path);
  // The owner of the folder could add keys.
  if (outermost !== undefined && there !== undefined && there.owner.uid !== owner.uid) {
    await host.files.removeFolder(outermost.path);
  }
  for (const { path, mode } of keys.folders) await host.files.makeFolder(path, { mode, owner });
  await host.files.write(keys.path, { bytes: new TextEncoder().encode(keys.text), mode: keys.mode, owner });
  log.line(`Wrote SSH keys to ${keys.path}`);
}

/** The user may replace a folder by a link, and have root write and remove at its target. The target is not changed. */
async function removeLinks({ host, log }: HostContext, { folders }: SshKeysFile): Promise<void> {
  for (const { path } of folders) {
    if ((await host.files.stat(path))?.kind !== 'link') continue;
    log.warn(`${path} is removed: it is a link, and keys are only kept in folders`);
    await host.files.remove(path);
  }
}

/** By user, before the step: its undo restores a password that is in no config. */
type PasswordHashes = { readonly [user: string]: string };

export async function hashesBefore(
  { host }: HostContext,
  change: { readonly from: NodeConfig; readonly to: NodeConfig },
): Promise<PasswordHashes> {
  const hashes: [string, string][] = [];
  for (const { user } of passwordChanges(change.from, change.to)) {
    const hash = await host.accounts.passwordHash(user);
    if (hash !== undefined) hashes.push([user, hash]);
  }
  return Object.fromEntries(hashes);
}

export async function restorePasswords({ host }: HostContext, hashes: PasswordHashes): Promise<void> {
  for (const [user, hash] of Object.entries(hashes)) {
    if ((await host.accounts.passwordHash(user)) !== hash) await host.accounts.setPasswordHash(user, hash);
  }
}

export async function writePasswords(
  { host, log }: HostContext,
  { from, to }: { readonly from: NodeConfig; readonly to: NodeConfig },
): Promise<void> {
  for (const { user, hash } of passwordChanges(from, to)) {
    const now = await host.accounts.passwordHash(user);
    // Users are created when a machine is installed, not by a config.
    if (now === undefined || now === hash) continue;
    await host.accounts.setPasswordHash(user, hash);
    log.line('Password has been configured');
  }
}
