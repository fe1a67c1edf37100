/**
 * The port to a machine, and its Linux implementation.
 *
 *     Host (host.ts)            files, units, OS, accounts, reboot
 *       ├─ createLinuxHost      a real machine: commands through a runner, files on a real disk
 *       └─ createSandboxMachine a modelled one, in `embedded/sandbox`
 *
 *     Disk (disk.ts)            file system calls, with the durability of real file systems
 *       └─ createRealDisk       a folder of the platform's file system
 *
 * The files of every host are `createHostFiles` over a disk: the protocol that replaces files, and the rule that no link leads
 * out of the root, are implemented and tested once. `contract.ts` is the contract of every host; the tests of each
 * implementation run it.
 *
 * A host neither decides nor retries. Failures have the messages of real machines.
 * Not here: what to do with a machine (`node/plan`, `node/daemon`).
 *
 * Start with `host.ts`, then `write-files.ts` and `linux.ts`.
 */
export { groupIn, passwordHashIn, userIn, withPasswordHash } from './account-files.ts';
export { commandFailure } from './command-failure.ts';
export { CRIO_SOCKET, createLinuxImages, KUBELET_AUTH_FILE } from './cri/linux-images.ts';
export { createManifestReader } from './cri/registry-manifests.ts';
export { type Disk, type DiskCall, DiskError, type DiskErrorCode, type IdentifiedDisk } from './disk.ts';
export { checkPath, folderOf, inFolder, isWithin, nameOf, namesOf } from './disk-paths.ts';
export type {
  Deployment,
  FileKind,
  FileStat,
  FileSystemSpace,
  FileToWrite,
  Host,
  HostAccounts,
  HostFiles,
  HostImages,
  HostOs,
  HostUnits,
  KernelArgumentChange,
  Owner,
  PackageChange,
} from './host.ts';
export { NO_SPACE } from './host.ts';
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
export { readDeployedRelease, readOsRelease } from './os-release.ts';
export { refuseToSetKernelArguments } from './os-tool.ts';
export { fetchArgs, fetchText, kernelArgumentsArgs, packagesArgs, rebaseArgs } from './ostree-commands.ts';
export { ostreeStatus, ostreeStatusJson, type PrintedDeployment } from './ostree-status.ts';
export { createRealDisk } from './real-disk.ts';
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
