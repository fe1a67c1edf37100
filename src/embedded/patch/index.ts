/**
 * Patches and field ownership: JSON patch, merge patch, strategic merge patch, server-side apply, and the managed
 * fields after each write. All as in kube-apiserver 1.33, with its messages.
 *
 *     applyJsonPatch(document, patch)                    RFC 6902
 *     applyMergePatch(document, patch)                   RFC 7386
 *     applyStrategicMergePatch(schema, document, patch)  for built-in kinds
 *     apply({ schema, live, applied, manager, … })       server-side apply
 *     updateManagedFields({ schema, before, after, … })  ownership after any other write
 *
 * Failures are StatusErrors (`status`). Inputs are never changed; unchanged parts are shared between the object before
 * and after.
 *
 * Start with `apply.ts`. It builds on the merge types of a schema (`shape.ts`), operations on typed values
 * (`typed-*.ts`), field sets and their format (`field-set.ts`, `fields-v1.ts`), and field managers
 * (`managed-fields.ts`, `ownership.ts`): the parts of structured-merge-diff.
 *
 * Not here: defaulting, pruning and validation (`kubernetes/validation`), and the request: which patch types a kind
 * accepts, preconditions, dry run, admission. Objects have one version; managers of other versions are dropped.
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
