/**
 * The nodes that the drain controller decides on, each in its newest known version.
 *
 *     cache ──> own writes laid over it ──> a decision ──> a write that names the version it was decided on
 *                                                              │ conflict: the cache is outdated
 *                                                              v
 *                                                        the next decision is made on what the server has
 *
 * Writes are safe on any version, evictions are not: they are only made on a version that the server confirmed recently.
 */
import type { Clock } from '../../base/env.ts';
import { type Cache, type Kube, OwnWrites } from '../../kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../../kubernetes/types/index.ts';

/** The age up to which an answer of the server is good enough for an eviction: the interval of evictions. */
const FRESH_MS = 5_000;

export class DrainingNodes {
  readonly #cache: Cache<Node>;
  readonly #own: OwnWrites<Node>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Nodes that the server had in a newer version than we knew. */
  readonly #outdated = new Set<string>();
  /** By node: when the server last returned it. */
  readonly #confirmedAtMs = new Map<string, number>();
  #count = 0;

  constructor(cache: Cache<Node>, clock: Pick<Clock, 'monotonic'>) {
    this.#cache = cache;
    this.#clock = clock;
    this.#own = new OwnWrites(cache);
    cache.onChange(({ before, after }) => {
      this.#count += Number(after !== undefined) - Number(before !== undefined);
      if (before === undefined || after !== undefined) return;
      this.#outdated.delete(before.metadata.name);
      this.#confirmedAtMs.delete(before.metadata.name);
    });
  }

  /** Counted incrementally: every step of every drain needs it. */
  get count(): number {
    return this.#count;
  }

  /** All nodes, with our cordons. */
  all(): Iterable<Node> {
    return this.#own.all();
  }

  cached(name: string): Node | undefined {
    return this.#cache.get({ name });
  }

  /** The newest known version; from the server where the cache is known to be outdated. */
  async read(kube: Pick<Kube, 'get'>, name: string): Promise<Node | undefined> {
    if (this.cached(name) === undefined) return undefined;
    const isUncertain = this.#outdated.has(name) || this.#own.isUnconfirmed({ name });
    return isUncertain ? await this.readLive(kube, name) : this.#own.get({ name });
  }

  async readLive(kube: Pick<Kube, 'get'>, name: string): Promise<Node | undefined> {
    const node = await kube.get(nodeKind, { name });
    if (node !== undefined) this.record(node);
    return node;
  }

  /** An answer of the server. */
  record(node: Node): void {
    this.#own.record(node);
    this.#outdated.delete(node.metadata.name);
    this.#confirmedAtMs.set(node.metadata.name, this.#clock.monotonic());
  }

  isFresh(name: string): boolean {
    const atMs = this.#confirmedAtMs.get(name);
    return atMs !== undefined && this.#clock.monotonic() - atMs < FRESH_MS;
  }

  /** The server refused a write, because it has a newer version. */
  markOutdated(name: string): void {
    this.#outdated.add(name);
  }

  /** The names of nodes whose cordon is being written, or was written without an answer. */
  cordoning(): ReadonlySet<string> {
    return new Set(this.#own.unconfirmed().map(({ name }) => name));
  }

  beginCordon(name: string): void {
    this.#own.markUnconfirmed({ name });
  }

  /** The server refused the cordon. */
  cancelCordon(name: string): void {
    this.#own.forget({ name });
  }
}
