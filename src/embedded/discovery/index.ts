/**
 * Discovery: the groups, versions and resources that the server serves, their OpenAPI documents, and the version of
 * Kubernetes.
 *
 * Everything is computed from the resources that are served now. kubectl finds kinds by discovery, validates and explains
 * objects by OpenAPI, and chooses what it requests by the version. Bodies, headers and the order of lists are those of
 * kube-apiserver.
 *
 * Large responses are cached for as long as the list of resources they were made from, so callers pass the same list
 * until it changes. A change of one CustomResourceDefinition rebuilds the document of its group, and no other.
 *
 * Not here: authorization (`rbac`), health, the objects themselves.
 *
 * Start with `discovery-response.ts`; for OpenAPI with `openapi-document.ts`, then `definitions.ts`.
 */
export { discoveryResponse } from './discovery-response.ts';
