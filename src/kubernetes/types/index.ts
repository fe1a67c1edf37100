/**
 * The built-in kinds of Kubernetes that Millwright uses or serves.
 *
 * One file per kind has one value: its names, verbs, subresources, selectable fields, and the schema of its objects.
 * This is the only description of a kind: the TypeScript type is inferred from the schema, and the embedded API server
 * derives OpenAPI definitions, protobuf messages and Go's decoding errors from the schema and the Go types in it.
 * Types that several kinds share are in files by noun (`pod-container.ts`, `conditions.ts`, `references.ts`). `kinds.ts`
 * lists all kinds. The version is 1.33; a test compares every field with the OpenAPI documents of Kubernetes.
 *
 * A schema has what the published one has: types, list types, keys of merge patches, static defaults. `fields.ts` has
 * the builders for what the published schema does not express. Not included is what kube-apiserver implements in code:
 * limits, names, immutable fields, and defaults that depend on other fields.
 *
 * Large types are mapped once more under a name of their own (`PodSpec`, `Container`): otherwise compiler messages would
 * spell them out.
 *
 * Not here: our own kinds (`api`), whose CRDs are generated from their schemas.
 *
 * Start with `pod.ts`, then `builtin.ts` and `fields.ts`.
 */

export { type ClusterRole, clusterRole } from './authorization/cluster-role.ts';
export { type ClusterRoleBinding, clusterRoleBinding } from './authorization/cluster-role-binding.ts';
export { type PolicyRule, RBAC_GROUP, type RoleRef, type Subject } from './authorization/rbac.ts';
export { type Role, role } from './authorization/role.ts';
export { type RoleBinding, roleBinding } from './authorization/role-binding.ts';
export { tokenRequest } from './authorization/token-request.ts';
export { binding } from './binding.ts';
export {
  type AnyBody,
  type AnyBuiltin,
  goTypeOfKind,
  type KindName,
  type Subresource,
  type Verb,
} from './builtin.ts';
export {
  type CertificateSigningRequest,
  certificateSigningRequest,
} from './certificate-signing-request.ts';
export type { Condition } from './conditions.ts';
export { type ConfigMap, configMap } from './config-map.ts';
export {
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  customResourceDefinition,
} from './custom-resource-definition.ts';
export { type DaemonSet, type DaemonSetStatus, daemonSet } from './daemon-set.ts';
export { deleteOptions } from './delete-options.ts';
export { type Deployment, type DeploymentStatus, deployment } from './deployment.ts';
export {
  type APIGroup,
  type APIGroupDiscovery,
  type APIGroupDiscoveryList,
  type APIGroupList,
  type APIResource,
  type APIResourceDiscovery,
  type APIResourceList,
  type APISubresourceDiscovery,
  type APIVersionDiscovery,
  type APIVersions,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  type GroupVersion,
} from './discovery.ts';
export { endpoints } from './endpoints.ts';
export { type Event, event } from './event.ts';
export { eventsEvent } from './events-event.ts';
export { eviction } from './eviction.ts';
export { filled } from './fields.ts';
export { type Job, type JobStatus, job } from './job.ts';
export { bodies, builtins, findBody, findBuiltin } from './kinds.ts';
export { type Lease, lease } from './lease.ts';
export { type Namespace, namespace } from './namespace.ts';
export { type Node, node, type Taint } from './node.ts';
export type { NodeCondition, NodeStatus, NodeSystemInfo } from './node-status.ts';
export { objectMeta } from './object-meta.ts';
export { type Pod, pod } from './pod.ts';
export {
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  podDisruptionBudget,
} from './pod-disruption-budget.ts';
export type { Container } from './pods/pod-container.ts';
export type { Affinity, NodeSelectorTerm, Toleration } from './pods/pod-scheduling.ts';
export type { PodSpec } from './pods/pod-spec.ts';
export type { ContainerState, ContainerStatus, PodCondition, PodStatus } from './pods/pod-status.ts';
export type { PodTemplateSpec } from './pods/pod-template.ts';
export { type ReplicaSet, type ReplicaSetStatus, replicaSet } from './replica-set.ts';
export { scale } from './scale.ts';
export { type Secret, secret } from './secret.ts';
export { type SelectableField, selectableValue } from './selectable-fields.ts';
export { type Service, service } from './service.ts';
export { serviceAccount } from './service-account.ts';
export {
  type ListMeta,
  listMeta,
  type Status,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
  status,
} from './status.ts';
export {
  META_API_VERSION,
  type Table,
  type TableColumn,
  type TableRow,
  type TableRowCondition,
} from './table.ts';
export { validatingAdmissionPolicy } from './validating-admission-policy.ts';
export { validatingAdmissionPolicyBinding } from './validating-admission-policy-binding.ts';
