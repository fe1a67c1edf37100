/**
 * The pods of nodes that are being drained, and of no others: a cluster may have tens of thousands, of which a rollout
 * concerns those on a few nodes at a time.
 *
 * Each such node has its own cache, which is opened when its pods are first read and closed when the node is no longer
 * drained. Refused evictions are remembered here for pacing: losing them costs one early eviction request.
 */

import type { Cache, Caches, ObjectKey } from '../kubernetes/client/index.ts';
import { type Pod, pod as podKind } from '../kubernetes/types/index.ts';
import { type PodReference, podForDrain, type Refused } from '../rollout/index.ts';

type Followed = { readonly cache: Cache<Pod>; readonly stop: () => void; isFilled: boolean };

export class DrainingPods {
  readonly #caches: Caches;
  readonly #followed = new Map<string, Followed>();
  readonly #refusals = new Map<string, Refused>();
  /** Called with the name of a node whose pods have changed. */
  #onChange: (node: string) => void = nothing;

  constructor(caches: Caches) {
    this.#caches = caches;
  }

  onChange(listener: (node: string) => void): void {
    this.#onChange = listener;
  }

  /** Undefined until the cache is filled; then `onChange` is called. */
  on(node: string): Iterable<Pod> | undefined {
    const { cache, isFilled } = this.#followed.get(node) ?? this.#follow(node);
    return isFilled ? cache.all() : undefined;
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

  #follow(node: string): Followed {
    const stopping = new AbortController();
    const cache = this.#caches.of(podKind, {
      fieldSelector: `spec.nodeName=${node}`,
      transform: podForDrain,
      until: stopping.signal,
    });
    const followed: Followed = { cache, stop: () => stopping.abort(), isFilled: false };
    this.#followed.set(node, followed);
    cache.onChange(({ before, after }) => {
      if (after === undefined) this.#refusals.delete(before?.metadata.uid ?? '');
      this.#onChange(node);
    });
    cache.synced.then(() => {
      followed.isFilled = true;
      this.#onChange(node);
      // Rejects where the cache is closed before it is filled.
    }, nothing);
    return followed;
  }
}

function nothing(): void {}
