/**
 * A shared/exclusive lock: an exclusive holder waits for shared ones, and later ones wait for it.
 */
export class SharedLock {
  #working = new Set<Promise<unknown>>();
  #alone: Promise<unknown> = Promise.resolve();

  async shared<T>(work: () => Promise<T>): Promise<T> {
    // Another exclusive holder may have been faster.
    for (let alone = this.#alone; ; alone = this.#alone) {
      await alone;
      if (alone === this.#alone) break;
    }
    const done = work();
    const settled = done.catch(nothing);
    this.#working.add(settled);
    try {
      return await done;
    } finally {
      this.#working.delete(settled);
    }
  }

  async exclusive<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#alone;
    const done = (async () => {
      await before;
      await Promise.all(this.#working);
      return await work();
    })();
    this.#alone = done.catch(nothing);
    return await done;
  }
}

function nothing(): void {}
