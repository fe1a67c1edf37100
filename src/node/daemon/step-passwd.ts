/**
 * The steps that concern people: the keys with which they log in, and their password hashes. The undo of each is the same
 * with the configs swapped.
 */
import {
  NO_CORE_USER,
  type NodeConfig,
  passwordChanges,
  type SshKeysFile,
  sshKeysFile,
} from '../plan/index.ts';
import type { Work } from './context.ts';

export async function writeSshKeys({ host, log }: Work, to: NodeConfig): Promise<void> {
  const keys = sshKeysFile(to);
  const owner = await host.accounts.user(keys.user);
  if (owner === undefined) return log.line(NO_CORE_USER);
  log.line('updating SSH keys');
  await removeLinks({ host, log }, keys);
  if (keys.text === '') {
    await host.files.remove(keys.path);
    return;
  }
  const [outermost] = keys.folders;
  const there = outermost === undefined ? undefined : await host.files.stat(outermost.path);
  // A folder of somebody else would let them write what opens the door.
  if (outermost !== undefined && there !== undefined && there.owner.uid !== owner.uid) {
    await host.files.removeFolder(outermost.path);
  }
  for (const { path, mode } of keys.folders) await host.files.makeFolder(path, { mode, owner });
  await host.files.write(keys.path, { bytes: new TextEncoder().encode(keys.text), mode: keys.mode, owner });
  log.line(`Wrote SSH keys to ${keys.path}`);
}

/** A link there is the user's, who would have root write and remove wherever it leads. Where it leads nothing changes. */
async function removeLinks({ host, log }: Work, { folders }: SshKeysFile): Promise<void> {
  for (const { path } of folders) {
    if ((await host.files.stat(path))?.kind !== 'link') continue;
    log.warn(`${path} is removed: it is a link, and keys are kept in folders alone`);
    await host.files.remove(path);
  }
}

/** By user, what there is before the step: a password that no config knows comes back with its undo. */
type PasswordHashes = { readonly [user: string]: string };

export async function hashesBefore(
  { host }: Work,
  change: { readonly from: NodeConfig; readonly to: NodeConfig },
): Promise<PasswordHashes> {
  const hashes: [string, string][] = [];
  for (const { user } of passwordChanges(change.from, change.to)) {
    const hash = await host.accounts.passwordHash(user);
    if (hash !== undefined) hashes.push([user, hash]);
  }
  return Object.fromEntries(hashes);
}

export async function restorePasswords({ host }: Work, hashes: PasswordHashes): Promise<void> {
  for (const [user, hash] of Object.entries(hashes)) {
    if ((await host.accounts.passwordHash(user)) !== hash) await host.accounts.setPasswordHash(user, hash);
  }
}

export async function writePasswords(
  { host, log }: Work,
  { from, to }: { readonly from: NodeConfig; readonly to: NodeConfig },
): Promise<void> {
  for (const { user, hash } of passwordChanges(from, to)) {
    const now = await host.accounts.passwordHash(user);
    // Users are made when a machine is installed, not by a config.
    if (now === undefined || now === hash) continue;
    await host.accounts.setPasswordHash(user, hash);
    log.line('Password has been configured');
  }
}
