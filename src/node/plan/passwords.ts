/**
 * The passwords that change between two configs.
 */
import { compareBytes } from '../../base/json.ts';
import type { NodeConfig } from './plan-types.ts';

type PasswordChange = { readonly user: string; readonly hash: string };

/** A locked password; other login methods are unchanged. */
const LOCKED = '*';

/**
 * By user. A user whose password was removed, or who is no longer in the config, is locked. A password that is in neither config
 * was set by hand and is kept. The undo is the same with the configs swapped.
 */
export function passwordChanges(from: NodeConfig, to: NodeConfig): readonly PasswordChange[] {
  const before = hashes(from);
  const after = hashes(to);
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((user) => before.get(user) !== after.get(user))
    .sort(compareBytes)
    .map((user) => ({ user, hash: after.get(user) ?? LOCKED }));
}

function hashes({ ignition }: NodeConfig): ReadonlyMap<string, string> {
  const stated = (ignition.passwd?.users ?? []).flatMap(({ name, passwordHash }) =>
    passwordHash ? [[name, passwordHash] as const] : [],
  );
  return new Map(stated);
}
