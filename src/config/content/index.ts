/**
 * The content of a MachineConfig: is it valid (`checkContent`), and which changes to it can running nodes not follow
 * (`irreconcilableChanges`)? Both the rendering and the nodes ask, so nothing here needs schemas or CEL.
 *
 * Not here: conformance to the schema of the kind (`config/render`), and the Ignition format itself (`config/ignition`).
 */
export {
  type ContentCheck,
  checkContent,
  givenPath,
  inConfig,
  SUPPORTED_EXTENSIONS,
  sourceOf,
} from './check-content.ts';
export { isDaemonState } from './daemon-state.ts';
export {
  type AllowedChanges,
  type IrreconcilableChange,
  irreconcilableChanges,
} from './irreconcilable-changes.ts';
export {
  packingWarnings,
  preparePackedContents,
  preparePackedSource,
  unpackedSizeProblem,
} from './packed-contents.ts';
export { pathConflictProblems } from './path-conflicts.ts';
export { MAX_RENDERED_BYTES } from './size-limit.ts';
export type { SourceProblem } from './source-problem.ts';
export { kernelArgumentProblems, unusableContent } from './unusable-content.ts';
