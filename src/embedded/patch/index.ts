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
 * Failures are StatusErrors (`status`). Inputs are never changed; what did not change is
 * shared between the object before and after.
 *
 * Start with `apply.ts`. Below it stand the shape that a schema gives to values (`shape.ts`), what can be done with
 * values of a shape (`typed-*.ts`), sets of fields and their form on the wire (`field-set.ts`, `fields-v1.ts`), and
 * the owners of an object (`managed-fields.ts`, `ownership.ts`).
 *
 * Not here: defaults, pruning and validation (`validation`), and everything about the request: which patches a kind
 * accepts, precondition checks, dry runs, admission. Objects have one version; owners in another one are forgotten.
 */
export { apply } from './apply.ts';
export { decodeFields, encodeFields } from './fields-v1.ts';
export { ignoreTimestampChanges } from './ignore-timestamp-changes.ts';
export { applyJsonPatch } from './json-patch.ts';
export { printed } from './json-values.ts';
export { managerName } from './manager-name.ts';
export { applyMergePatch } from './merge-patch.ts';
export type { Patched } from './patched.ts';
export { applyStrategicMergePatch } from './strategic-merge-patch.ts';
export { updateManagedFields } from './update-managed-fields.ts';
