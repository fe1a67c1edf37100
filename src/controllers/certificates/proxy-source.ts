/**
 * The Proxy `cluster` of OpenShift. Where its kind does not exist it is looked for from time to time: a cache would ask for it again
 * and again. Once it exists it is watched.
 */
import { type ClusterProxy, proxy as proxyKind } from '../../api/index.ts';
import { type Cache, getIfServed } from '../../kubernetes/client/index.ts';
import type { Context } from '../context.ts';

const NAME = 'cluster';
export const LOOK_AGAIN_MS = 10 * 60_000;

export class ProxySource {
  readonly #context: Pick<Context, 'caches' | 'env' | 'kube'>;
  #cache: Cache<ClusterProxy> | undefined;
  #lookAgainAt = 0;
  /** Called when it has changed. */
  onChange: () => void = () => undefined;

  constructor(context: Pick<Context, 'caches' | 'env' | 'kube'>) {
    this.#context = context;
  }

  /** Whether the kind exists, as far as is known. */
  get isServed(): boolean {
    return this.#cache !== undefined;
  }

  /** Undefined where there is none. */
  async read(): Promise<ClusterProxy | undefined> {
    const { caches, env, kube } = this.#context;
    if (this.#cache === undefined && env.clock.monotonic() < this.#lookAgainAt) return undefined;
    if (this.#cache === undefined) {
      const found = await getIfServed(() => kube.get(proxyKind, { name: NAME }));
      if (found === 'no such kind') {
        this.#lookAgainAt = env.clock.monotonic() + LOOK_AGAIN_MS;
        return undefined;
      }
      const cache = caches.of(proxyKind, { fieldSelector: `metadata.name=${NAME}` });
      await cache.synced;
      cache.onChange(() => this.onChange());
      this.#cache = cache;
    }
    return this.#cache.get({ name: NAME });
  }
}
