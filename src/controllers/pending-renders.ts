/**
 * Which pools have changes that are not rendered yet. The target of such a pool is outdated: a node that was sent there
 * now would have to be updated a second time.
 *
 * The render controller is the only writer, the node controller the reader. Both run in one process, so nothing is lost in
 * between: a change of a source opens the pool here before anything is reconciled. Nothing has to survive a restart,
 * because a pool is pending until it was rendered once.
 *
 * What counts as a change is decided in `render-sources.ts`. A pool is settled once its sources are complete
 * (`PendingGeneration`), the caches have caught up with the server (`ConfirmedSources`) and its target is published.
 */
import type { MachineConfigPool } from '../api/index.ts';
import type { Cache, OwnWrites } from '../kubernetes/client/index.ts';

/** The changes of a pool that a rendering has taken into account. */
type RenderedChanges = { readonly count: number };

export class PendingRenders {
  /** The pools with the targets that the render controller wrote. */
  readonly #pools: OwnWrites<MachineConfigPool>;
  /** By pool: how many changes there were. */
  readonly #changes = new Map<string, number>();
  /** By pool: how many of them are rendered. Absent until the pool was rendered once. */
  readonly #rendered = new Map<string, number>();
  readonly #listeners: ((pool: string) => void)[] = [];
  #total = 0;

  constructor(cache: Cache<MachineConfigPool>, pools: OwnWrites<MachineConfigPool>) {
    this.#pools = pools;
    cache.onChange(({ before, after }) => {
      if (after !== undefined || before === undefined) return;
      this.#changes.delete(before.metadata.name);
      this.#rendered.delete(before.metadata.name);
    });
  }

  /** A source of the pool has changed, or its nodes were released: its target has to be confirmed. */
  open(pool: string): void {
    this.#total += 1;
    this.#changes.set(pool, (this.#changes.get(pool) ?? 0) + 1);
  }

  /** The number of changes of all pools. */
  get total(): number {
    return this.#total;
  }

  /** To be called before the sources are read. */
  begin(pool: string): RenderedChanges {
    return { count: this.#changes.get(pool) ?? 0 };
  }

  /** The rendering of these changes is published, or there is none. Later changes stay pending. */
  settle(pool: string, { count }: RenderedChanges): void {
    this.#rendered.set(pool, count);
    if (!this.isPending(pool)) for (const listener of this.#listeners) listener(pool);
  }

  /** Until the cache shows the new target, readers of the cache would still see the old one. */
  isPending(pool: string): boolean {
    const isRendered = this.#rendered.get(pool) === (this.#changes.get(pool) ?? 0);
    return !isRendered || this.#pools.isPending({ name: pool });
  }

  /** Called when a pool is no longer pending, unless a change of the pool itself shows that. */
  onSettled(listener: (pool: string) => void): void {
    this.#listeners.push(listener);
  }
}
