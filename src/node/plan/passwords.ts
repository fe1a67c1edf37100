/**
 * The passwords that change between two configs.
 */
import { compareBytes } from '../../base/json.ts';
import type { NodeConfig } from './plan-types.ts';

type PasswordChange = { readonly user: string; readonly hash: string };

/** No password opens it; other ways in stay as they are. */
const LOCKED = '*';

/**
 * By user. One that lost its password, or that is gone from the config, is locked. A password that no config speaks of is left
 * alone: somebody set it by hand. The way back is the same with the configs swapped.
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
