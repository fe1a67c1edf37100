/**
 * Items that are always in order. Adding or taking away one costs a binary search and a shift, which for the thousands
 * of nodes of a pool is far less than sorting them anew.
 */
export class SortedList<T> implements Iterable<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #items: T[] = [];

  /** The comparison must tell any two distinct items apart. */
  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items.splice(this.#placeOf(item), 0, item);
  }

  /** Takes away what compares as equal. */
  delete(item: T): void {
    const place = this.#placeOf(item);
    const found = this.#items[place];
    if (found !== undefined && this.#compare(found, item) === 0) this.#items.splice(place, 1);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items[Symbol.iterator]();
  }

  /** Where the item is, or would be: before the first that does not come before it. */
  #placeOf(item: T): number {
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
