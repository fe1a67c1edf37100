/**
 * Pods that are alike, and on which nodes how many of them are: those of one owner, those with the same labels, and
 * those that keep the same others away. There are many pods, but few sorts of them.
 */

import { canonicalJson } from '../../../base/json.ts';
import type { Labels } from '../../../kubernetes/meta/index.ts';
import { fitsPodTerm, type PodInfo, type PodTerm, termText } from './pod-info.ts';

/** How many, by node. */
export type Counts = ReadonlyMap<string, number>;

type Group<T> = { readonly of: T; readonly counts: Map<string, number> };

/** `isSpread`: whether it counts among the pods of its owner. */
type Spot = { readonly node: string; readonly isSpread: boolean; readonly by: 1 | -1 };

export class PodGroups {
  readonly #owners = new Map<string, Group<string>>();
  readonly #labels = new Map<string, Group<{ readonly namespace: string; readonly labels: Labels }>>();
  readonly #refusals = new Map<string, Group<PodTerm>>();

  /** One more, or one less, on the node. */
  count(podInfo: PodInfo, { node, isSpread, by }: Spot): void {
    const { namespace, labels, owner } = podInfo;
    if (owner !== undefined && isSpread) count(this.#owners, { key: owner, of: owner, node, by });
    count(this.#labels, { key: canonicalJson([namespace, labels]), of: { namespace, labels }, node, by });
    for (const term of podInfo.antiAffinity) {
      count(this.#refusals, { key: termText(term), of: term, node, by });
    }
  }

  /** Pods of the same owner. */
  ofOwner(owner: string): Counts {
    return this.#owners.get(owner)?.counts ?? NONE;
  }

  /** Pods that all of the terms mean. */
  *matching(terms: readonly PodTerm[]): Iterable<Counts> {
    for (const { of, counts } of this.#labels.values()) {
      if (terms.every((term) => fitsPodTerm(term, of))) yield counts;
    }
  }

  /** Pods that want none such near them, and what they call near. */
  *withAntiAffinityTo(podInfo: PodInfo): Iterable<{ readonly topologyKey: string; readonly counts: Counts }> {
    for (const { of, counts } of this.#refusals.values()) {
      if (fitsPodTerm(of, podInfo)) yield { topologyKey: of.topologyKey, counts };
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
