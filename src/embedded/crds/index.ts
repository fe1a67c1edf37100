/**
 * CustomResourceDefinitions: kinds that somebody else brings.
 *
 *     createDefinitionRules({ decode })            the rules for CRDs themselves
 *     acceptNames(CRD, others, now)         who gets which names; then
 *     establish(CRD, now)                   the resource is served
 *     judgeApproval(CRD, now)               what is told of CRDs in groups of the community
 *     resourcesOf(CRD)                      what is served, version by version
 *     markDeleted, withDeletionPhase               how a CRD goes, after its objects
 *     scaleOf, scaleToUpdate, withScale            the Scale of objects that can be scaled
 *
 * CRDs are refused in the words of kube-apiserver: `check-CRD.ts` is the beginning of that, and below it
 * stand the specification (`check-spec.ts`), the schema (`check-schema.ts`) with what makes it structural, its fields,
 * its defaults and its rules, which must compile and must not be able to cost too much (`rule-costs.ts`).
 *
 * Not here: whether an object fits a schema (`validation`), the language of rules and the estimate of their cost
 * (`cel`), keeping objects, and conversion by webhook, which is accepted in a CRD and never called.
 *
 * Start with `CRD-rules.ts` and `resources-of.ts`.
 */
export { acceptNames, establish } from './accept-names.ts';
export { withApprovalCondition } from './approval.ts';
export { createCrdStrategy } from './crd-strategy.ts';
export { CLEANUP_FINALIZER, isTerminating, markDeleted, withDeletionPhase } from './deletion.ts';
export { missingReplicas, scaleOf, scaleToUpdate, withScale } from './scale.ts';
export { type CustomResource, servedResourcesOf, toStorageVersion } from './served-resources.ts';
