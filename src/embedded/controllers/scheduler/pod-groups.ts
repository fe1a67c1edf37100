/**
 * Counts of pods per node, grouped by owner, by labels, and by anti-affinity terms. There are many pods but few groups.
 */

import { canonicalJson } from '../../../base/json.ts';
import type { Labels } from '../../../kubernetes/meta/index.ts';
import { matchesPodTerm, type PodInfo, type PodTerm, termText } from './pod-info.ts';

/** By node. */
export type Counts = ReadonlyMap<string, number>;

type Group<T> = { readonly of: T; readonly counts: Map<string, number> };

/** `isSpread`: whether it counts for the spreading of its owner. */
type Spot = { readonly node: string; readonly isSpread: boolean; readonly by: 1 | -1 };

export class PodGroups {
  readonly #owners = new Map<string, Group<string>>();
  readonly #labels = new Map<string, Group<{ readonly namespace: string; readonly labels: Labels }>>();
  readonly #antiAffinityTerms = new Map<string, Group<PodTerm>>();

  /** Adds or removes a pod on a node. */
  count(podInfo: PodInfo, { node, isSpread, by }: Spot): void {
    const { namespace, labels, owner } = podInfo;
    if (owner !== undefined && isSpread) count(this.#owners, { key: owner, of: owner, node, by });
    count(this.#labels, { key: canonicalJson([namespace, labels]), of: { namespace, labels }, node, by });
    for (const term of podInfo.antiAffinity) {
      count(this.#antiAffinityTerms, { key: termText(term), of: term, node, by });
    }
  }

  /** Pods of the same owner. */
  ofOwner(owner: string): Counts {
    return this.#owners.get(owner)?.counts ?? NONE;
  }

  /** Pods that match all terms. */
  *matching(terms: readonly PodTerm[]): Iterable<Counts> {
    for (const { of, counts } of this.#labels.values()) {
      if (terms.every((term) => matchesPodTerm(term, of))) yield counts;
    }
  }

  /** Pods with an anti-affinity term that matches this pod, and its topology key. */
  *withAntiAffinityTo(podInfo: PodInfo): Iterable<{ readonly topologyKey: string; readonly counts: Counts }> {
    for (const { of, counts } of this.#antiAffinityTerms.values()) {
      if (matchesPodTerm(of, podInfo)) yield { topologyKey: of.topologyKey, counts };
    }
  }
}

const NONE: Counts = new Map();

function count<T>(
  groups: Map<string, Group<T>>,
  { key, of, node, by }: { readonly key: string; readonly of: T; readonly node: string; readonly by: 1 | -1 },
): void {
  const group = groups.get(key) ?? { of, counts: new Map<string, number>() };
  const after = (group.counts.get(node) ?? 0) + by;
  if (after > 0) group.counts.set(node, after);
  else group.counts.delete(node);
  if (group.counts.size > 0) groups.set(key, group);
  else groups.delete(key);
}
