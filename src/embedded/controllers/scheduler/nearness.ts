/**
 * Where a pod may be for the sake of other pods: near those it needs, away from those it cannot stand, and from those
 * that cannot stand it. Near is whatever shares a label of the node, such as a zone.
 */
import { own } from '../../../base/json.ts';
import { fitsPodTerm, type PodDemand } from './demand.ts';
import type { Counts } from './groups.ts';
import type { Ledger } from './ledger.ts';
import type { NodeView } from './node-view.ts';

/** Values of a label of nodes. */
type Domains = { readonly topologyKey: string; readonly values: ReadonlySet<unknown> };

export type Nearness = {
  readonly needed: readonly Domains[];
  readonly avoided: readonly Domains[];
  readonly refused: readonly Domains[];
};

export type NearnessProblem = 'needed' | 'avoided' | 'refused';

/** Undefined where no other pod matters, as for most. */
export function nearnessOf(demand: PodDemand, ledger: Ledger): Nearness | undefined {
  const nearness: Nearness = {
    needed: neededDomains(demand, ledger),
    avoided: demand.antiAffinity.map((term) =>
      domainsOf(ledger, { topologyKey: term.topologyKey, pods: ledger.groups.thatFit([term]) }),
    ),
    refused: [...ledger.groups.thatRefuse(demand)].map(({ topologyKey, counts }) =>
      domainsOf(ledger, { topologyKey, pods: [counts] }),
    ),
  };
  const { needed, avoided, refused } = nearness;
  return needed.length + avoided.length + refused.length === 0 ? undefined : nearness;
}

/** In the order in which Kubernetes looks; undefined where all is well. */
export function nearnessProblem(nearness: Nearness, node: NodeView): NearnessProblem | undefined {
  if (!nearness.needed.every((domains) => isIn(domains, node))) return 'needed';
  if (nearness.avoided.some((domains) => isIn(domains, node))) return 'avoided';
  if (nearness.refused.some((domains) => isIn(domains, node))) return 'refused';
  return undefined;
}

/**
 * A pod to be near to is one that all terms mean. The first of pods that want to be near each other may go anywhere, or
 * none of them ever would.
 */
function neededDomains({ affinity, ...demand }: PodDemand, ledger: Ledger): readonly Domains[] {
  if (affinity.length === 0) return [];
  const pods = [...ledger.groups.thatFit(affinity)];
  const domains = affinity.map(({ topologyKey }) => domainsOf(ledger, { topologyKey, pods }));
  const isFirst =
    domains.every(({ values }) => values.size === 0) && affinity.every((term) => fitsPodTerm(term, demand));
  if (!isFirst) return domains;
  return domains.map(({ topologyKey }) => ({
    topologyKey,
    values: new Set(ledger.nodes().map(({ labels }) => own(labels, topologyKey))),
  }));
}

function domainsOf(
  ledger: Ledger,
  { topologyKey, pods }: { readonly topologyKey: string; readonly pods: Iterable<Counts> },
): Domains {
  const values = new Set<unknown>();
  for (const counts of pods) {
    for (const node of counts.keys()) values.add(own(ledger.node(node)?.labels ?? {}, topologyKey));
  }
  values.delete(undefined);
  return { topologyKey, values };
}

/** A node without the label is near to nothing. */
function isIn({ topologyKey, values }: Domains, { labels }: NodeView): boolean {
  const value = own(labels, topologyKey);
  return value !== undefined && values.has(value);
}
