/**
 * The scheduling requirements of a pod, parsed once from its spec.
 */

import { canonicalJson } from '../../../base/json.ts';
import { type LabelSelector, type Labels, matchesSelector } from '../../../kubernetes/meta/index.ts';
import type { Affinity, Pod, Toleration } from '../../../kubernetes/types/index.ts';
import { keyOf } from '../object-keys.ts';
import { type Amounts, podRequests } from '../pod-resources.ts';
import { type NodeRequirements, namedNodes, nodeRequirements } from './node-affinity.ts';

export type PodInfo = {
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string | undefined;
  readonly namespace: string;
  readonly labels: Labels;
  readonly requests: Amounts;
  /** The non-zero requests as a list. */
  readonly asked: readonly { readonly resource: string; readonly amount: number }[];
  /** Requests for scoring, with defaults for pods without requests. */
  readonly cpuLoad: number;
  readonly memoryLoad: number;
  readonly tolerations: readonly Toleration[];
  readonly node: NodeRequirements | undefined;
  /** The only possible nodes; see `namedNodes`. */
  readonly named: ReadonlySet<string> | undefined;
  readonly affinity: readonly PodTerm[];
  readonly antiAffinity: readonly PodTerm[];
  /** The UID of its controller, whose pods are spread. */
  readonly owner: string | undefined;
};

/** A required pod (anti-)affinity term. */
export type PodTerm = {
  readonly topologyKey: string;
  readonly selector: LabelSelector | undefined;
  readonly namespaces: ReadonlySet<string> | 'all';
};

export function podInfoOf(pod: Pod): PodInfo {
  const { metadata, spec } = pod;
  const { namespace = '', labels = {}, ownerReferences = [] } = metadata;
  const node = nodeRequirements(spec);
  const requests = podRequests(pod);
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  return {
    key: keyOf(pod),
    uid: metadata.uid,
    namespace,
    labels,
    requests,
    asked: [...requests].flatMap(([resource, amount]) => (amount === 0 ? [] : [{ resource, amount }])),
    cpuLoad: requests.get('cpu') ?? ASSUMED_CPU,
    memoryLoad: requests.get('memory') ?? ASSUMED_MEMORY,
    tolerations: spec.tolerations ?? [],
    node,
    named: namedNodes(node),
    affinity: podTerms(podAffinity, namespace),
    antiAffinity: podTerms(podAntiAffinity, namespace),
    owner: ownerReferences.find(({ controller }) => controller === true)?.uid,
  };
}

/** kube-scheduler's defaults, without which all pods without requests would go to one node. */
const ASSUMED_CPU = 100;
const ASSUMED_MEMORY = 200 * 1024 * 1024;

/** Pods with the same key fit on the same nodes. */
export function schedulingKey({ namespace, labels, requests, tolerations, node, ...terms }: PodInfo): string {
  const { affinity, antiAffinity } = terms;
  return canonicalJson([
    namespace,
    labels,
    [...requests],
    tolerations,
    node,
    ...[affinity, antiAffinity].map((some) => some.map(termText)),
  ]);
}

export function termText({ namespaces, ...term }: PodTerm): string {
  return canonicalJson([term, namespaces === 'all' ? namespaces : [...namespaces].sort()]);
}

export function matchesPodTerm(
  { namespaces, selector }: PodTerm,
  { namespace, labels }: Pick<PodInfo, 'namespace' | 'labels'>,
): boolean {
  return (namespaces === 'all' || namespaces.has(namespace)) && matchesSelector(selector, labels);
}

function podTerms(
  affinity: NonNullable<Affinity['podAffinity']> | undefined,
  namespace: string,
): readonly PodTerm[] {
  return (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => ({
    topologyKey: term.topologyKey,
    selector: term.labelSelector,
    namespaces: namespacesOf(term, namespace),
  }));
}

/** A namespaceSelector is treated as all namespaces, which is stricter for anti-affinity. */
function namespacesOf(
  term: { readonly namespaces?: readonly string[]; readonly namespaceSelector?: LabelSelector },
  own: string,
): ReadonlySet<string> | 'all' {
  if (term.namespaceSelector !== undefined) return 'all';
  const { namespaces = [] } = term;
  return new Set(namespaces.length === 0 ? [own] : namespaces);
}
