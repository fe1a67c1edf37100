/**
 * What every host does. Called with a way to make one; run by the tests of each implementation.
 */
import { describe } from 'vitest';
import { filesContract } from './files-contract.ts';
import type { Host, Owner } from './host.ts';
import { hostileContract } from './hostile-contract.ts';
import { accountsContract, osContract } from './os-contract.ts';
import { unitsContract } from './units-contract.ts';

/** One machine, freshly installed from `OLD_IMAGE`, with what the images of `test/host` hold. */
export interface HostScene {
  /** Of the boot that is now. */
  readonly host: Host;
  /** Resolves once a reboot that was asked for is over. */
  rebooted(): Promise<void>;
  /** Whether files can be read that nobody may read, as root can. */
  readonly isPrivileged: boolean;
  /** Somebody whom files can be given to. */
  readonly owner: Owner;
  /** Whatever lies beside the root, as text: names and contents. No path of the machine leads there. */
  outside(): Promise<string>;
  /** A device or pipe at this path, where whoever runs this can make one. */
  makeSpecial(path: string): Promise<boolean>;
  close(): Promise<void>;
}

export type SceneMaker = {
  readonly create: () => Promise<HostScene>;
  /** Whether there is a systemctl to ask. */
  readonly hasUnits: boolean;
};

export function hostContract({ create, hasUnits }: SceneMaker): void {
  describe('files', () => filesContract(create));
  describe('whatever was planted', () => hostileContract(create));
  describe.skipIf(!hasUnits)('units', () => unitsContract(create));
  describe('the OS', () => osContract(create));
  describe('accounts', () => accountsContract(create));
}
