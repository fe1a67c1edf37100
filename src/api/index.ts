/**
 * The words of the API: every kind, its shape and its meaning.
 *
 * One file per kind holds one schema value, from which come the TypeScript type, the CRD under
 * `manifests/crds` (`crdOf`, written by `npm run generate`) and the validation (module `validation`).
 * Annotation and label keys live in `annotations.ts`, with who writes and who reads each.
 *
 * Not here: any decision about nodes or pools, and any I/O.
 *
 * Start with `machine-config-pool.ts`, then `kind.ts`.
 */
export * from './crd.ts';
export * from './groups.ts';
export * from './kind.ts';
export * from './machine-config.ts';
export * from './machine-config-pool.ts';
export * from './object-meta.ts';
export * from './shapes.ts';
