/**
 * CustomResourceDefinitions: kinds that somebody else brings.
 *
 *     createDefinitionRules({ decode })            the rules for definitions themselves
 *     acceptNames(definition, others, now)         who gets which names; then
 *     establish(definition, now)                   the resource is served
 *     judgeApproval(definition, now)               what is told of definitions in groups of the community
 *     resourcesOf(definition)                      what is served, version by version
 *     markDeleted, withDeletionPhase               how a definition goes, after its objects
 *     scaleOf, scaleToUpdate, withScale            the Scale of objects that can be scaled
 *
 * Definitions are refused in the words of kube-apiserver: `check-definition.ts` is the beginning of that, and below it
 * stand the specification (`check-spec.ts`), the schema (`check-schema.ts`) with what makes it structural, its fields,
 * its defaults and its rules, which must compile and must not be able to cost too much (`rule-costs.ts`).
 *
 * Not here: whether an object fits a schema (`validation`), the language of rules and the estimate of their cost
 * (`cel`), keeping objects, and conversion by webhook, which is accepted in a definition and never called.
 *
 * Start with `definition-rules.ts` and `resources-of.ts`.
 */
export { acceptNames, establish } from './accept-names.ts';
export { judgeApproval } from './approval.ts';
export { createCrdStrategy } from './definition-rules.ts';
export { CLEANUP_FINALIZER, isTerminating, markDeleted, withDeletionPhase } from './deletion.ts';
export { type CustomResource, resourcesOf, storedForm } from './resources-of.ts';
export { missingReplicas, scaleOf, scaleToUpdate, withScale } from './scale.ts';
