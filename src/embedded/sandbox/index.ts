/**
 * Machines without a machine: the behaviour of an image-based Linux, modelled on a disk in memory or in a directory.
 *
 *     createSandboxMachine   deployments, enablement, boots and power cuts; its `host` is a `Host` as the daemon knows it
 *     createMemoryDisk       a disk that loses what was not synced when its power is cut
 *     directory-node.ts      a disk in a directory; owners are recorded, never set
 *     buildOsImage           the OS image of sandbox nodes, made from a folder of the package
 *
 * Not here: the port itself (`node/host`), whose contract suite these machines pass.
 *
 * Start with `sandbox.ts`, then `sandbox-os.ts` and `memory-disk.ts`.
 */
export { createMemoryDisk, type MemoryDisk, type PlannedCut } from './memory-disk.ts';
export { buildOsImage, type ImageVariation } from './os-image.ts';
export { createOsPuller } from './pull-os-image.ts';
export {
  createSandboxMachine,
  INSTALLER_ARGUMENTS,
  type SandboxDurations,
  type SandboxMachine,
} from './sandbox.ts';
