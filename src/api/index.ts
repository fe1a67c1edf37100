/**
 * The words of the API: every kind, its shape and its meaning.
 *
 * One file per kind holds one schema value, from which come the TypeScript type, the CRD under
 * `manifests/crds` (`crdOf`, written by `npm run generate`) and the validation (module `validation`).
 * `kinds.ts` lists them all. Annotation and label keys live in `annotations.ts`, with who writes and who
 * reads each.
 *
 * Not here: any decision about nodes or pools, and any I/O.
 *
 * Start with `machine-config-pool.ts`, then `kind.ts`.
 */
export * from './annotations.ts';
export * from './boot-images.ts';
export * from './built-in-pools.ts';
export * from './cluster-image-policy.ts';
export * from './cluster-operator.ts';
export * from './container-runtime-config.ts';
export * from './controller-config.ts';
export * from './crd.ts';
export * from './default-disruption-policies.ts';
export * from './drain-request.ts';
export * from './groups.ts';
export * from './image.ts';
export * from './image-content-source-policy.ts';
export * from './image-digest-mirror-set.ts';
export * from './image-policy.ts';
export * from './image-policy-spec.ts';
export * from './image-tag-mirror-set.ts';
export * from './kind.ts';
export * from './kinds.ts';
export * from './kubelet-config.ts';
export * from './machine-config.ts';
export * from './machine-config-node.ts';
export * from './machine-config-pool.ts';
export * from './machine-configuration.ts';
export * from './machine-os-build.ts';
export * from './machine-os-config.ts';
export * from './meta-shapes.ts';
export * from './metadata-problems.ts';
export * from './mirror-sets.ts';
export * from './names.ts';
export * from './node-disruption-policy.ts';
export * from './object-meta.ts';
export * from './os-image-stream.ts';
export * from './pinned-image-set.ts';
export * from './registry-names.ts';
export * from './selector.ts';
export * from './shapes.ts';
