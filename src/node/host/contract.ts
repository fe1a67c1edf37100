/**
 * The contract of every host. The tests of each implementation run it.
 */
import { describe } from 'vitest';
import { filesContract } from './files-contract.ts';
import type { Host, Owner } from './host.ts';
import { hostileContract } from './hostile-contract.ts';
import { accountsContract, osContract } from './os-contract.ts';
import { packagesOsContract } from './packages-os-contract.ts';
import { unitsContract } from './units-contract.ts';

/** One machine, freshly installed from `OLD_IMAGE` of `test/host`. */
export interface HostScene {
  /** Of the current boot. */
  readonly host: Host;
  /** Resolves once a requested reboot is complete. */
  rebooted(): Promise<void>;
  /** Whether the tests can read files without permission, as root can. */
  readonly isPrivileged: boolean;
  /** Another possible owner of files. */
  readonly owner: Owner;
  /** Names and contents of everything beside the root, as text. No path of the machine may reach it. */
  outside(): Promise<string>;
  /** Creates a device or pipe at this path, where permitted. */
  makeSpecial(path: string): Promise<boolean>;
  /** The registry has no image any more. */
  closeRegistry(): Promise<void>;
  close(): Promise<void>;
}

export type SceneMaker = {
  readonly create: () => Promise<HostScene>;
  /** Whether there is a systemctl. */
  readonly hasUnits: boolean;
  /** Default: an OSTree. */
  readonly os?: 'image' | 'packages';
};

export function hostContract({ create, hasUnits, os = 'image' }: SceneMaker): void {
  describe('files', () => filesContract(create));
  describe('hostile links and names', () => hostileContract(create));
  describe.skipIf(!hasUnits)('units', () => unitsContract(create));
  describe('the OS', () => (os === 'image' ? osContract(create) : packagesOsContract(create)));
  describe('accounts', () => accountsContract(create));
}
