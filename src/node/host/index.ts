/**
 * One machine, as the daemon sees it.
 *
 *     Host (host.ts)            files, units, OS, accounts, reboot: what may be asked of a machine
 *       ├─ createLinuxHost      a real one: commands through a runner, files on a real disk
 *       └─ createSandboxMachine a modelled one, in `embedded/sandbox`
 *
 *     Disk (disk.ts)            a file system, call by call, with the durability that real ones have
 *       └─ linux-node.ts        the real one below a root
 *
 * The files of every host are `createHostFiles` over some disk: the protocol by which files are replaced, and the rule
 * that no link leads out of the root, are written and tested once. `contract.ts` holds what every host must do; the tests
 * of each implementation run it.
 *
 * A host neither decides nor retries. What goes wrong is a `Failure` with the message that such machines print.
 * Not here: what to do with a machine (`node/plan`, `node/daemon`).
 *
 * Start with `host.ts`, then `write-files.ts` and `linux.ts`.
 */
export { groupIn, passwordHashIn, userIn, withPasswordHash } from './account-files.ts';
export { commandFailure } from './command-failure.ts';
export { type Disk, type DiskCall, DiskError, type DiskErrorCode, type IdentifiedDisk } from './disk.ts';
export { folderOf, inFolder, isWithin, nameOf, namesOf } from './disk-paths.ts';
export type {
  Deployment,
  FileKind,
  FileStat,
  FileToWrite,
  Host,
  HostAccounts,
  HostFiles,
  HostOs,
  HostUnits,
  KernelArgumentChange,
  Owner,
  PackageChange,
} from './host.ts';
export { createHostFiles } from './host-files.ts';
export { findTarget, type HostRoot } from './host-root.ts';
export {
  type ImageTree,
  type PulledImage,
  type PullImage,
  packTree,
  systemTree,
  type TreeEntry,
  unpackTree,
} from './image-tree.ts';
export { createLinuxHost } from './linux.ts';
export { linkCredentials, readBootId, readFips } from './machine-files.ts';
export { readOsRelease } from './os-release.ts';
export { kernelArgumentsArgs, packagesArgs } from './ostree-commands.ts';
export { ostreeStatus, ostreeStatusJson, type PrintedDeployment } from './ostree-status.ts';
export { createRealDisk } from './real-disk.ts';
export { isUnitName, listed, settings, type UnitFile, unitName } from './unit-files.ts';
export {
  disableUnits,
  enablementOf,
  enableUnits,
  type FoundUnit,
  findUnit,
  type LinkOutcome,
  presetUnit,
  UNIT_FOLDERS,
} from './unit-links.ts';
export { writeFile } from './write-files.ts';
