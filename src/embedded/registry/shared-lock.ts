/**
 * Many may work at the same time, or one alone. Whoever wants to be alone waits for those who work, and those who come
 * after wait for it.
 */
export class SharedLock {
  #working = new Set<Promise<unknown>>();
  #alone: Promise<unknown> = Promise.resolve();

  async shared<T>(work: () => Promise<T>): Promise<T> {
    // Another may have come in while this one waited.
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
