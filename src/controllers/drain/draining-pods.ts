/**
 * The pods of nodes that are being drained, and of no others: a cluster may have tens of thousands, of which a rollout
 * concerns those on a few nodes at a time.
 *
 * The pods of a node are listed once it is cordoned. Where some of them have to leave, a cache continues from that list until
 * the node is no longer drained. Refused evictions are remembered here for pacing: losing them costs one early eviction
 * request.
 */

import type { Cache, Caches, Kube, ObjectKey } from '../../kubernetes/client/index.ts';
import { type Pod, pod as podKind } from '../../kubernetes/types/index.ts';
import { type PodReference, podForDrain, type Refused } from '../../rollout/index.ts';

type Followed = {
  readonly cache: Cache<Pod>;
  /** The resourceVersion of the node when its pods were listed. */
  readonly atVersion: string;
  readonly stop: () => void;
};

type ListedPods = Awaited<ReturnType<typeof listPods>>;

export class DrainingPods {
  readonly #caches: Caches;
  readonly #kube: Pick<Kube, 'list'>;
  readonly #followed = new Map<string, Followed>();
  /** Nodes whose pods have to be listed again. */
  readonly #outdated = new Set<string>();
  readonly #refusals = new Map<string, Refused>();
  /** Called with the name of a node whose pods have changed. */
  #onChange: (node: string) => void = nothing;

  constructor(caches: Caches, kube: Pick<Kube, 'list'>) {
    this.#caches = caches;
    this.#kube = kube;
  }

  onChange(listener: (node: string) => void): void {
    this.#onChange = listener;
  }

  /** Undefined where they have to be listed. */
  on(node: string): { readonly items: Iterable<Pod>; readonly atVersion: string } | undefined {
    const followed = this.#outdated.has(node) ? undefined : this.#followed.get(node);
    return followed && { items: followed.cache.all(), atVersion: followed.atVersion };
  }

  /** The cache shows a pod that is gone: events may be delayed. */
  relist(node: string): void {
    if (this.#followed.has(node)) this.#outdated.add(node);
  }

  /** The pods of the node as the server has them now. */
  async list(node: string): Promise<ListedPods> {
    return await listPods(this.#kube, node);
  }

  /** Follows the pods of the node from a list on. `atVersion`: the resourceVersion of the node before the list. */
  follow(node: string, listed: ListedPods, atVersion: string): void {
    this.#followed.get(node)?.stop();
    this.#outdated.delete(node);
    const stopping = new AbortController();
    const cache = this.#caches.of(podKind, {
      ...selectionOf(node),
      transform: podForDrain,
      from: listed,
      until: stopping.signal,
    });
    cache.onChange(({ before, after }) => {
      if (after === undefined) this.#refusals.delete(before?.metadata.uid ?? '');
      // Not those of the list, which the caller knows.
      if (this.#followed.get(node)?.cache === cache) this.#onChange(node);
    });
    this.#followed.set(node, { cache, atVersion, stop: () => stopping.abort() });
  }

  get(node: string, place: Required<ObjectKey>): Pod | undefined {
    return this.#followed.get(node)?.cache.get(place);
  }

  /** The nodes whose pods are cached. */
  nodes(): Iterable<string> {
    return this.#followed.keys();
  }

  /** The node is no longer drained. */
  unfollow(node: string): void {
    const followed = this.#followed.get(node);
    if (followed === undefined) return;
    this.#followed.delete(node);
    this.#outdated.delete(node);
    followed.stop();
    for (const { metadata } of followed.cache.all()) this.#refusals.delete(metadata.uid ?? '');
  }

  get refusals(): ReadonlyMap<string, Refused> {
    return this.#refusals;
  }

  refused({ uid }: PodReference, atMs: number): void {
    this.#refusals.set(uid, { atMs, isRelaxed: false });
  }

  /** The disruption budget that blocked the pod has changed. False where that is known already. */
  relax({ metadata }: Pod): boolean {
    const { uid = '' } = metadata;
    const { atMs = 0, isRelaxed = false } = this.#refusals.get(uid) ?? {};
    this.#refusals.set(uid, { atMs, isRelaxed: true });
    return !isRelaxed;
  }

  granted({ uid }: PodReference): void {
    this.#refusals.delete(uid);
  }
}

function selectionOf(node: string) {
  return { fieldSelector: `spec.nodeName=${node}` };
}

async function listPods(kube: Pick<Kube, 'list'>, node: string) {
  return await kube.list(podKind, selectionOf(node));
}

function nothing(): void {}
