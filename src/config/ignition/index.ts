/**
 * Ignition: the format that describes a node's files, units and users.
 *
 * `parseIgnition` takes any JSON value and returns a config of version 3.5.0, whichever version (2.0 to 2.2, 3.0 to
 * 3.5) it was written in, or problems with their paths. `ConfigMerger` merges configs. `encodeIgnition` writes a
 * config as JSON, `downConvert` as JSON of an older version. `fileContents` returns what a file will contain.
 *
 * The format is data: `config.ts` lists every field once, and its TypeScript type, decoding, minimum version and
 * merge behaviour all follow from there.
 *
 * Not here: pools, nodes, MachineConfigs, and fetching anything from a network.
 *
 * Start with `config.ts`, then `parse-ignition.ts`.
 */

export {
  emptyConfig,
  type File,
  type IgnitionConfig,
  type Resource,
  type Unit,
  type User,
} from './config.ts';
export { ConfigMerger } from './config-merger.ts';
export type { Contribution } from './contribution.ts';
export { base64DataUrl, decodeDataUrl, percentDataUrl } from './data-url.ts';
export { downConvert } from './down-convert.ts';
export { encodeIgnition } from './encode-ignition.ts';
export {
  contentFacts,
  digestWithPauses,
  fileContents,
  fileContentsWithPauses,
  MAX_UNPACKED_BYTES,
  prepareContentFacts,
  unpackedBytes,
} from './file-contents.ts';
export { type ContributionKind, itemAtPath, itemsOfKind } from './merge-sections.ts';
export { fileModeProblem, formatMode, MAX_MODE } from './mode.ts';
export { parseFailureText, parseIgnition, versionOf } from './parse-ignition.ts';
export { TARGET_VERSIONS, type TargetVersion } from './target-version.ts';
export { ignitionProblems } from './validate-ignition.ts';
export { simplifiedPath } from './validate-nodes.ts';
export { resourcesOf, wrongHash } from './verify-hash.ts';
