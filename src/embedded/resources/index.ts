/**
 * What the server serves: the resources, and the rules that hold for the objects of each.
 *
 * `resource.ts` says what a resource is. `builtin-resources.ts` lists those that Kubernetes brings itself; each kind
 * has a file of rules (`config-map.ts`, `deployment.ts`), made from the usual ones in `rules.ts` by saying what is
 * different. `decode-builtin.ts` reads objects as Go does, and `object-meta.ts` knows what holds for all kinds.
 * What needs to know more of the cluster than the object itself is apart: `builtin-admission.ts`, and the doors of
 * pods and accounts (`pod-eviction.ts`, `pod-binding.ts`, `pod-log.ts`, `token-request.ts`).
 *
 * Every rule is a pure function over the object that was sent, the one that is kept, and a little context. The texts
 * are those of a real server: people search for them.
 *
 * Not here: reading requests, keeping objects, who may do what (`apiserver`, `access`), and the resources that
 * CustomResourceDefinitions make (`definitions`).
 *
 * Start with `resource.ts`, then `config-map.ts`.
 */
export { builtinAdmissionPlugins } from './builtin-admission.ts';
export { builtinResources, createBuiltinResources } from './builtin-resources.ts';
export { builtinStrategy, nameValidator } from './builtin-strategy.ts';
export { decodeBuiltin } from './decoding/decode-builtin.ts';
export { coreEventOf, eventsEventOf } from './event-conversion.ts';
export { type ObjectMetaResource, objectMetaProblems, objectMetaUpdateProblems } from './object-meta.ts';
export { dedupOwnerReferences } from './owner-references.ts';
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
