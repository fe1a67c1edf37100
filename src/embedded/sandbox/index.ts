/**
 * Sandbox machines: models of an image-based Linux over a disk in memory or in a directory.
 *
 *     createSandboxMachine   deployments, enablement, boots and power cuts; its `host` implements the port `Host`, with /usr
 *                            read-only as on a real machine
 *     createMemoryDisk       a disk that loses unsynced writes on a power cut
 *     directory-node.ts      a disk in a directory; owners are recorded, never set
 *     buildOsImage           the OS image of sandbox nodes, built from a directory of the package
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
  SANDBOX_DURATIONS,
  type SandboxDurations,
  type SandboxMachine,
} from './sandbox.ts';
export type { ContainerImages } from './sandbox-images.ts';
export type { Shell } from './shell.ts';
