/**
 * The resources that the server serves, and the strategy for the objects of each.
 *
 * `resource.ts` defines a resource and `strategy.ts` its strategy. `builtin-resources.ts` lists the built-in resources;
 * each kind has a file (`config-map.ts`, `workloads/deployment.ts`) with its strategy, which overrides parts of the
 * default in `builtin-strategy.ts`. `decoding/decode-builtin.ts` decodes objects as Go does, and `object-meta.ts`
 * validates the metadata of all kinds. Subresources and admission that depend on other objects are separate:
 * `builtin-admission.ts`, `pods/pod-eviction.ts`, `pods/pod-binding.ts`, `pods/pod-log.ts`, `token-request.ts`.
 *
 * Strategies are pure functions of the object that was sent, the stored object and a small context. Messages are those
 * of kube-apiserver, because clients and administrators search for them.
 *
 * Not here: requests and storage (`apiserver`), authorization (`rbac`), and custom resources (`crds`).
 *
 * Start with `strategy.ts`, then `config-map.ts`.
 */
export { builtinAdmissionPlugins } from './builtin-admission.ts';
export { createBuiltinResources } from './builtin-resources.ts';
export { builtinStrategy, nameValidator } from './builtin-strategy.ts';
export { decodeBuiltin } from './decoding/decode-builtin.ts';
export { goStrings } from './decoding/go-format.ts';
export { coreEventOf, eventsEventOf } from './event-conversion.ts';
export {
  duplicate,
  forbidden,
  invalid,
  invalidText,
  required,
  tooMany,
  unsupportedText,
} from './field-problems.ts';
export { generationOf, metadataOf, withFieldOf, withGeneration, without } from './object-edits.ts';
export {
  type ObjectMetaResource,
  objectMetaProblems,
  objectMetaUpdateProblems,
  STANDARD_FINALIZERS,
} from './object-meta.ts';
export { dedupOwnerReferences } from './owner-references.ts';
export { noProgramsText } from './pods/node-debugging.ts';
export { bindPod } from './pods/pod-binding.ts';
export { decideEviction } from './pods/pod-eviction.ts';
export { type LogQuery, logTargetOf } from './pods/pod-log.ts';
export type { PrinterColumn, Resource } from './resource.ts';
export { groupResourceOf } from './resource.ts';
export type { Decoded, Strategy, SubresourceStrategy, WriteContext } from './strategy.ts';
export {
  boundObjectOf,
  boundUidConflict,
  tokenRequestProblems,
  tokenRequestWithDefaults,
} from './token-request.ts';
export { scaleOf, withScale } from './workloads/scale.ts';
