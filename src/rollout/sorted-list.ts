/**
 * A list that is always sorted. Adding or deleting an item costs a binary search and a shift, which for the thousands of
 * nodes of a pool is far less than sorting them again.
 */
export class SortedList<T> implements Iterable<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #items: T[] = [];

  /** The comparison must not be 0 for distinct items. */
  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items.splice(this.#indexOf(item), 0, item);
  }

  /** Deletes the item that compares as equal. */
  delete(item: T): void {
    const index = this.#indexOf(item);
    const found = this.#items[index];
    if (found !== undefined && this.#compare(found, item) === 0) this.#items.splice(index, 1);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items[Symbol.iterator]();
  }

  /** Where the item is, or would be inserted. */
  #indexOf(item: T): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#items[middle];
      if (other !== undefined && this.#compare(other, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
