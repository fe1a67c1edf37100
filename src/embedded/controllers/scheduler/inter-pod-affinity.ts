/**
 * Inter-pod affinity: topology domains that the affinity and anti-affinity of the pod, and the anti-affinity of existing
 * pods, require or forbid.
 */
import { own } from '../../../base/json.ts';
import type { NodeInfo } from './node-info.ts';
import type { Counts } from './pod-groups.ts';
import { matchesPodTerm, type PodInfo } from './pod-info.ts';
import type { SchedulerCache } from './scheduler-cache.ts';

/** Values of a topology label. */
type Domains = { readonly topologyKey: string; readonly values: ReadonlySet<unknown> };

export type InterPodAffinity = {
  readonly needed: readonly Domains[];
  readonly avoided: readonly Domains[];
  readonly refused: readonly Domains[];
};

export type AffinityViolation = 'needed' | 'avoided' | 'refused';

/** Undefined for pods without such terms, which are most. */
export function interPodAffinity(podInfo: PodInfo, cache: SchedulerCache): InterPodAffinity | undefined {
  const interPod: InterPodAffinity = {
    needed: neededDomains(podInfo, cache),
    avoided: podInfo.antiAffinity.map((term) =>
      domainsOf(cache, { topologyKey: term.topologyKey, pods: cache.groups.matching([term]) }),
    ),
    refused: [...cache.groups.withAntiAffinityTo(podInfo)].map(({ topologyKey, counts }) =>
      domainsOf(cache, { topologyKey, pods: [counts] }),
    ),
  };
  const { needed, avoided, refused } = interPod;
  return needed.length + avoided.length + refused.length === 0 ? undefined : interPod;
}

/** In the order of kube-scheduler; undefined if all terms are satisfied. */
export function affinityViolation(interPod: InterPodAffinity, node: NodeInfo): AffinityViolation | undefined {
  if (!interPod.needed.every((domains) => isIn(domains, node))) return 'needed';
  if (interPod.avoided.some((domains) => isIn(domains, node))) return 'avoided';
  if (interPod.refused.some((domains) => isIn(domains, node))) return 'refused';
  return undefined;
}

/**
 * Pods must match all terms. The first pod of a group with affinity to itself may go anywhere, or none would ever be
 * scheduled.
 */
function neededDomains({ affinity, ...podInfo }: PodInfo, cache: SchedulerCache): readonly Domains[] {
  if (affinity.length === 0) return [];
  const pods = [...cache.groups.matching(affinity)];
  const domains = affinity.map(({ topologyKey }) => domainsOf(cache, { topologyKey, pods }));
  const isFirst =
    domains.every(({ values }) => values.size === 0) &&
    affinity.every((term) => matchesPodTerm(term, podInfo));
  if (!isFirst) return domains;
  return domains.map(({ topologyKey }) => ({
    topologyKey,
    values: new Set(cache.nodes().map(({ labels }) => own(labels, topologyKey))),
  }));
}

function domainsOf(
  cache: SchedulerCache,
  { topologyKey, pods }: { readonly topologyKey: string; readonly pods: Iterable<Counts> },
): Domains {
  const values = new Set<unknown>();
  for (const counts of pods) {
    for (const node of counts.keys()) values.add(own(cache.node(node)?.labels ?? {}, topologyKey));
  }
  values.delete(undefined);
  return { topologyKey, values };
}

/** A node without the label is in no domain. */
function isIn({ topologyKey, values }: Domains, { labels }: NodeInfo): boolean {
  const value = own(labels, topologyKey);
  return value !== undefined && values.has(value);
}
