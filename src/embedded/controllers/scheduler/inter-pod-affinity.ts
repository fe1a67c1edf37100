/**
 * Where a pod may be for the sake of other pods: near those it needs, away from those it cannot stand, and from those
 * that cannot stand it. Near is whatever shares a label of the node, such as a zone.
 */
import { own } from '../../../base/json.ts';
import type { NodeInfo } from './node-info.ts';
import type { Counts } from './pod-groups.ts';
import { fitsPodTerm, type PodInfo } from './pod-info.ts';
import type { SchedulerCache } from './scheduler-cache.ts';

/** Values of a label of nodes. */
type Domains = { readonly topologyKey: string; readonly values: ReadonlySet<unknown> };

export type InterPodAffinity = {
  readonly needed: readonly Domains[];
  readonly avoided: readonly Domains[];
  readonly refused: readonly Domains[];
};

export type AffinityViolation = 'needed' | 'avoided' | 'refused';

/** Undefined where no other pod matters, as for most. */
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

/** In the order in which Kubernetes looks; undefined where all is well. */
export function affinityViolation(interPod: InterPodAffinity, node: NodeInfo): AffinityViolation | undefined {
  if (!interPod.needed.every((domains) => isIn(domains, node))) return 'needed';
  if (interPod.avoided.some((domains) => isIn(domains, node))) return 'avoided';
  if (interPod.refused.some((domains) => isIn(domains, node))) return 'refused';
  return undefined;
}

/**
 * A pod to be near to is one that all terms mean. The first of pods that want to be near each other may go anywhere, or
 * none of them ever would.
 */
function neededDomains({ affinity, ...podInfo }: PodInfo, cache: SchedulerCache): readonly Domains[] {
  if (affinity.length === 0) return [];
  const pods = [...cache.groups.matching(affinity)];
  const domains = affinity.map(({ topologyKey }) => domainsOf(cache, { topologyKey, pods }));
  const isFirst =
    domains.every(({ values }) => values.size === 0) && affinity.every((term) => fitsPodTerm(term, podInfo));
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

/** A node without the label is near to nothing. */
function isIn({ topologyKey, values }: Domains, { labels }: NodeInfo): boolean {
  const value = own(labels, topologyKey);
  return value !== undefined && values.has(value);
}
