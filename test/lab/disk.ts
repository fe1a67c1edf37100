/** The disk of a machine, which outlives its boots. */
import { join } from 'node:path';
import { nextBoot, removeSysroot, varFolder } from './sysroot.ts';

export type Disk = {
  readonly nextBoot: () => Promise<DiskBoot>;
  /** `/var` of the machine. */
  readonly varFolder: string;
  readonly remove: () => Promise<void>;
};

export type DiskBoot = {
  /** The folder that becomes the root of the machine. */
  readonly root: string;
  /** What else of the disk is mounted, as flags of `systemd-nspawn`. */
  readonly mounts: readonly string[];
  readonly kernelArguments: readonly string[];
};

/** It boots from the deployment that the default entry of its boot loader names. */
export function ostreeDisk(sysroot: string): Disk {
  return {
    varFolder: varFolder(sysroot),
    remove: () => removeSysroot(sysroot),
    async nextBoot() {
      const { deployment, kernelArguments } = await nextBoot(sysroot);
      const mounts = [
        // Without what is mounted below: the deployment that it boots from would be seen twice.
        `--bind=${sysroot}:/sysroot:norbind`,
        `--bind=${join(sysroot, 'boot')}:/boot`,
        `--bind=${varFolder(sysroot)}:/var`,
        `--bind-ro=${join(deployment, 'usr')}:/usr`,
      ];
      return { root: deployment, mounts, kernelArguments };
    },
  };
}
