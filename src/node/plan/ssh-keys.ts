/**
 * The authorized SSH keys of a node, as a file.
 */
import type { NodeConfig } from './plan-types.ts';

/** The only user whose keys and password a config can change on a running node. */
const CORE_USER = 'core';
const SSH_FOLDER = '/home/core/.ssh';
const KEYS_FOLDER = `${SSH_FOLDER}/authorized_keys.d`;

export type SshKeysFile = {
  /** The owner. Where the machine has no such user, nothing is written. */
  readonly user: string;
  /** Outermost first. The first one is removed beforehand where it has another owner. */
  readonly folders: readonly { readonly path: string; readonly mode: number }[];
  readonly path: string;
  readonly mode: number;
  readonly text: string;
};

/** The keys of all users of the config, one per line: a node has only the one user. */
export function sshKeysFile({ ignition }: NodeConfig): SshKeysFile {
  const keys = (ignition.passwd?.users ?? []).flatMap(({ sshAuthorizedKeys }) => sshAuthorizedKeys ?? []);
  return {
    user: CORE_USER,
    folders: [SSH_FOLDER, KEYS_FOLDER].map((path) => ({ path, mode: 0o700 })),
    path: `${KEYS_FOLDER}/ignition`,
    mode: 0o600,
    text: keys.map((key) => `${key}\n`).join(''),
  };
}

export const NO_CORE_USER =
  'core user does not exist, and creating users is not supported, so ignoring configuration specified for core user';
