/**
 * What a dump contains. Secrets are listed as a table, by name and type: their data never leaves the server. Of pods that are not
 * ours only what a drain depends on is kept.
 */
import {
  clusterOperator,
  OS_IMAGE_CONFIG_MAP,
  kinds as ownKinds,
  SANDBOX_TIMES_CONFIG_MAP,
} from '../../api/index.ts';
import { KUBELET_SERVING_SIGNER } from '../../certificates/index.ts';
import { groupOf, type Need } from '../../insight/index.ts';
import {
  certificateSigningRequest,
  configMap,
  daemonSet,
  deployment,
  event,
  job,
  lease,
  namespace as namespaceKind,
  node,
  pod,
  podDisruptionBudget,
} from '../../kubernetes/types/index.ts';

/** Of the whole cluster. A kind of ours has the schema of its objects. */
const CLUSTER_KINDS = [...ownKinds, clusterOperator] as unknown as readonly Need['kind'][];
const OWN_NAMESPACE_KINDS = [lease, deployment, daemonSet, job, configMap, event] as const;

/** All kinds that are in a dump. */
export const DUMPED_KINDS: readonly Need['kind'][] = [
  ...CLUSTER_KINDS,
  ...OWN_NAMESPACE_KINDS,
  ...[node, namespaceKind, pod, podDisruptionBudget, certificateSigningRequest],
];

/** `namespace`: of the components. */
export function dumpListings(namespace: string): readonly Need[] {
  return [
    ...CLUSTER_KINDS.map((kind) => ({ kind })),
    { kind: node },
    ...OWN_NAMESPACE_KINDS.map((kind) => ({ kind, namespace })),
    // Events about Nodes and other objects of the cluster.
    { kind: event, namespace: 'default' },
    { kind: pod },
    { kind: podDisruptionBudget },
    { kind: certificateSigningRequest, fieldSelector: `spec.signerName=${KUBELET_SERVING_SIGNER}` },
  ];
}

/** ConfigMaps that renderings and simulations are made from. */
export const READABLE_CONFIG_MAPS: readonly string[] = [OS_IMAGE_CONFIG_MAP, SANDBOX_TIMES_CONFIG_MAP];

/** The plural of the kind of an object that is in a dump. */
export function pluralOf(object: { readonly apiVersion: string; readonly kind: string }): string {
  const found = DUMPED_KINDS.find((kind) => kind.kind === object.kind && kind.group === groupOf(object));
  return found?.plural ?? `${object.kind.toLowerCase()}s`;
}
