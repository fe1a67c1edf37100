/**
 * Ignition: the file format in which a node's files, units and users are written down.
 *
 * `parseIgnition` takes any JSON value and gives a config of version 3.5.0, whichever version (2.0 to 2.2,
 * 3.0 to 3.5) it was written in, or the problems with their paths. `ConfigMerger` lays configs over one
 * another. `encodeIgnition` is the way back. `fileContents` reads what a file will hold.
 *
 * The format itself is data: `config.ts` names every field once, and its TypeScript type, its decoding, the
 * version it appeared in and the way it merges all follow from there.
 *
 * Not here: pools, nodes, MachineConfigs, and fetching anything from a network.
 *
 * Start with `config.ts`, then `parse-ignition.ts`.
 */

export { emptyConfig, type File, type IgnitionConfig, type Unit, type User } from './config.ts';
export { ConfigMerger } from './config-merger.ts';
export type { Contribution } from './contribution.ts';
export { base64DataUrl, decodeDataUrl, percentDataUrl } from './data-url.ts';
export { encodeIgnition } from './encode-ignition.ts';
export { fileContents } from './file-contents.ts';
export { type ContributionKind, itemAtPath, itemsOfKind } from './merge-sections.ts';
export { formatMode, MAX_MODE, MAX_PLAIN_MODE } from './mode.ts';
export { parseFailureText, parseIgnition, versionOf } from './parse-ignition.ts';
export { ignitionProblems } from './validate-ignition.ts';
