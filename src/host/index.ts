/**
 * One machine, as the daemon sees it.
 *
 *     Host (host.ts)            files, units, OS, accounts, reboot: what may be asked of a machine
 *       ├─ createLinuxHost      a real one: commands through a runner, files on a real disk
 *       └─ createSandboxMachine a modelled one: images, deployments, enablement, boots and power cuts on any disk
 *
 *     Disk (disk.ts)            a file system, call by call, with the durability that real ones have
 *       ├─ createMemoryDisk     loses what was not synced when its power is cut
 *       ├─ directory-node.ts    a directory of whoever runs this; owners are recorded, never set
 *       └─ linux-node.ts        the real one below a root
 *
 * The files of every host are `createHostFiles` over some disk: the protocol by which files are replaced, and the rule
 * that no link leads out of the root, are written and tested once.
 *
 * A host neither decides nor retries. What goes wrong is a `Failure` in the words that people know from such machines.
 * Not here: what to do with a machine (`update`, `daemon`), and registries (`registry`), of which only `PullImage` is known.
 *
 * Start with `host.ts`, then `write-files.ts` and `sandbox.ts`.
 */
export { commandFailure, type FailedCommand } from './command-failure.ts';
export type { CommandResult, CommandRunner, RunOptions } from './command-runner.ts';
export { NO_SUCH_COMMAND } from './command-runner.ts';
export { type Disk, type DiskCall, DiskError, type DiskErrorCode } from './disk.ts';
export * from './host.ts';
export { createHostFiles, type HostFilesOptions, MAX_FILE_BYTES } from './host-files.ts';
export type { ImageTree, PulledImage, PullImage, TreeEntry } from './image-tree.ts';
export { createLinuxHost, type LinuxOptions } from './linux.ts';
export {
  createMemoryDisk,
  DEFAULT_MEMORY_DISK_LIMITS,
  type DiskFault,
  type MemoryDisk,
  type MemoryDiskLimits,
  type PlannedCut,
} from './memory-disk.ts';
export type { Remains } from './memory-inodes.ts';
export {
  createSandboxMachine,
  INSTALLER_ARGUMENTS,
  type PowerEvent,
  type Provisioning,
  type SandboxDurations,
  type SandboxFaults,
  type SandboxMachine,
  type SandboxOptions,
} from './sandbox.ts';
export { PACKAGE_LIST } from './sandbox-os.ts';
export type { ServiceState } from './sandbox-services.ts';
