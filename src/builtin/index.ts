/**
 * The words of Kubernetes itself: the kinds it brings that our server serves and our controllers use.
 *
 * One file per kind holds one value: its names, its verbs, its subresources, what field selectors may name, and
 * the schema of its objects, from which the TypeScript type comes. What several kinds share lies in files by
 * noun (`pod-container.ts`, `conditions.ts`, `references.ts`). `kinds.ts` lists them all. The version is 1.33,
 * and a test compares every field with the documents that Kubernetes publishes for it.
 *
 * A schema says what the published one says: types, list types, keys of merge patches, static defaults. Where
 * that says too little, `fields.ts` has the words. What the server decides in code stays out: limits, names,
 * immutable fields, and defaults that follow from other fields.
 *
 * Large shapes are mapped once more under a name of their own (`PodSpec`, `Container`): otherwise every message
 * of the compiler would spell out all that is in them.
 *
 * Not here: our own kinds (`api`), whose CRDs are made from their schemas. These have none.
 *
 * Start with `pod.ts`, then `builtin.ts` and `fields.ts`.
 */
export * from './binding.ts';
export type { AnyBody, AnyBuiltin, Body, Builtin, KindName, Subresource, Verb } from './builtin.ts';
export * from './cluster-role.ts';
export * from './cluster-role-binding.ts';
export type { Condition } from './conditions.ts';
export * from './config-map.ts';
export * from './custom-resource-definition.ts';
export * from './daemon-set.ts';
export * from './delete-options.ts';
export * from './deployment.ts';
export * from './discovery.ts';
export * from './endpoints.ts';
export { type Event, event } from './event.ts';
export * from './events-event.ts';
export * from './eviction.ts';
export * from './job.ts';
export * from './kinds.ts';
export * from './lease.ts';
export * from './local-subject-access-review.ts';
export * from './namespace.ts';
export * from './node.ts';
export type { NodeCondition, NodeStatus, NodeSystemInfo } from './node-status.ts';
export { objectMeta } from './object-meta.ts';
export * from './pod.ts';
export type { Container, ResourceRequirements, VolumeMount } from './pod-container.ts';
export * from './pod-disruption-budget.ts';
export type { EnvVar } from './pod-environment.ts';
export type { Probe } from './pod-probe.ts';
export type { Affinity, NodeSelectorTerm, Toleration } from './pod-scheduling.ts';
export type { PodSecurityContext, SecurityContext } from './pod-security.ts';
export type { PodSpec } from './pod-spec.ts';
export type { ContainerState, ContainerStatus, PodCondition, PodStatus } from './pod-status.ts';
export type { PodTemplateSpec } from './pod-template.ts';
export type { Volume } from './pod-volumes.ts';
export { type PolicyRule, RBAC_GROUP, type RoleRef, type Subject } from './rbac.ts';
export * from './replica-set.ts';
export * from './role.ts';
export * from './role-binding.ts';
export { type Scale, scale } from './scale.ts';
export * from './secret.ts';
export { type SelectableField, selectableValue } from './selectable-fields.ts';
export * from './self-subject-access-review.ts';
export * from './self-subject-review.ts';
export * from './self-subject-rules-review.ts';
export * from './service.ts';
export * from './service-account.ts';
export * from './status.ts';
export * from './subject-access-review.ts';
export * from './table.ts';
export * from './token-request.ts';
export * from './token-review.ts';
export type { UserInfo } from './user-info.ts';
export * from './validating-admission-policy.ts';
export * from './validating-admission-policy-binding.ts';
