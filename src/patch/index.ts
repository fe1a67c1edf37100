/**
 * How an object changes by what a client sends: JSON patches, merge patches, strategic merge patches and
 * server-side apply, and who owns which field afterwards. All as kube-apiserver 1.33 does it, with its texts.
 *
 *     applyJsonPatch(document, patch)                    RFC 6902
 *     applyMergePatch(document, patch)                   RFC 7386
 *     applyStrategicMergePatch(schema, document, patch)  for kinds that Kubernetes brings itself
 *     apply({ schema, live, applied, manager, … })       server-side apply
 *     updateManaged({ schema, before, after, … })        ownership after any other write
 *
 * Every refusal carries the Status that the server would answer. Inputs are never changed; what did not change is
 * shared between the object before and after.
 *
 * Start with `apply.ts`. Below it stand the shape that a schema gives to values (`shape.ts`), what can be done with
 * values of a shape (`typed-*.ts`), sets of fields and their form on the wire (`field-set.ts`, `fields-v1.ts`), and
 * the owners of an object (`managed-fields.ts`, `ownership.ts`).
 *
 * Not here: defaults, pruning and validation (`validation`), and everything about the request: which patches a kind
 * accepts, precondition checks, dry runs, admission. Objects have one version; owners in another one are forgotten.
 */
export * from './apply.ts';
export { ANCIENT_CHANGES, MAX_UPDATE_OWNERS } from './cap-owners.ts';
export type { FieldSet } from './field-set.ts';
export { hasPath, pathsOf, setOfFields } from './field-set.ts';
export * from './fields-v1.ts';
export * from './json-patch.ts';
export { printed } from './json-values.ts';
export * from './keep-times.ts';
export type { Owner, Owners } from './managed-fields.ts';
export { decodeOwners, encodeOwners } from './managed-fields.ts';
export * from './manager-name.ts';
export * from './merge-patch.ts';
export type { Path, PathElement } from './path-element.ts';
export { pathText } from './path-element.ts';
export type { Patched, Refusal, RefusalStatus, StatusCause } from './refusal.ts';
export * from './strategic-merge-patch.ts';
export type { UpdateRequest, Writer } from './update-managed.ts';
export { updateManaged } from './update-managed.ts';
