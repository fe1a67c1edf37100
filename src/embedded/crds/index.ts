/**
 * CustomResourceDefinitions and custom resources.
 *
 *     createCrdStrategy({ decode })                the strategy of CRDs
 *     acceptNames(crd, others, now)                resolves conflicts of names; then
 *     establish(crd, now)                          lets the resource be served
 *     withApprovalCondition(crd, now)              the approval policy of *.k8s.io groups
 *     servedResourcesOf(crd)                       the resources that are served, one per version
 *     markDeleted, withDeletionPhase               the finalization of a CRD
 *     scaleOf, scaleToUpdate, withScale            the scale subresource of custom resources
 *
 * CRDs are validated with the messages of kube-apiserver, from `validate-crd.ts` over the spec (`validate-spec.ts`) to
 * the schema (`validate-schema.ts`): it must be structural, its defaults must be valid, and its CEL rules must compile
 * within the cost limits (`rule-costs.ts`).
 *
 * Not here: validation of objects against a schema (`kubernetes/validation`), CEL and its cost estimation
 * (`kubernetes/cel`), storage, and conversion webhooks, which are accepted in a CRD and never called.
 *
 * Start with `crd-strategy.ts` and `served-resources.ts`.
 */
export { acceptNames, establish } from './accept-names.ts';
export { withApprovalCondition } from './approval.ts';
export { createCrdStrategy } from './crd-strategy.ts';
export { CLEANUP_FINALIZER, isTerminating, markDeleted, withDeletionPhase } from './deletion.ts';
export { missingReplicas, scaleOf, scaleToUpdate, withScale } from './scale.ts';
export { type CustomResource, servedResourcesOf, toStorageVersion } from './served-resources.ts';
