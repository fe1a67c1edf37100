/**
 * A map sorted by the bytes of its keys, in blocks of a few hundred: an insertion moves part of one block, and a
 * lookup by position is two binary searches.
 */
import { Bug } from '../../../base/errors.ts';
import { compareBytes } from '../../../base/json.ts';

const MAX_BLOCK = 512;

type Block = { readonly keys: string[] };
type Position = { readonly blockIndex: number; readonly block: Block; readonly offset: number };
/** True for all keys up to some position, and false after it. */
type IsBefore = (key: string) => boolean;

export class SortedMap<V> {
  /** Lookups by key and updates of existing keys do not need the order. */
  readonly #values = new Map<string, V>();
  /** No block is empty, except a single one. */
  readonly #blocks: Block[] = [{ keys: [] }];

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: V): void {
    const isNew = !this.#values.has(key);
    this.#values.set(key, value);
    if (!isNew) return;
    const { blockIndex, block, offset } = this.#find((other) => compareBytes(other, key) < 0);
    block.keys.splice(offset, 0, key);
    if (block.keys.length > MAX_BLOCK) this.#split(blockIndex, block);
  }

  delete(key: string): void {
    if (!this.#values.delete(key)) return;
    const { blockIndex, block, offset } = this.#find((other) => compareBytes(other, key) < 0);
    block.keys.splice(offset, 1);
    if (block.keys.length === 0 && this.#blocks.length > 1) this.#blocks.splice(blockIndex, 1);
  }

  /** From the first key that is not before. The map must not change during iteration. */
  *entriesFrom(isBefore: IsBefore): Generator<readonly [string, V]> {
    const start = this.#find(isBefore);
    let { offset } = start;
    for (let index = start.blockIndex; index < this.#blocks.length; index++, offset = 0) {
      const block = this.#blockAt(index);
      for (; offset < block.keys.length; offset++) {
        const key = block.keys[offset] as string;
        // Every key has a value.
        yield [key, this.#values.get(key) as V];
      }
    }
  }

  countBefore(isBefore: IsBefore): number {
    const { blockIndex, offset } = this.#find(isBefore);
    let count = offset;
    for (let index = 0; index < blockIndex; index++) count += this.#blockAt(index).keys.length;
    return count;
  }

  /** The position of the first key that is not before; the end of the last block if there is none. */
  #find(isBefore: IsBefore): Position {
    const last = this.#blocks.length - 1;
    const blockIndex = firstFalse(last, (index) => isBefore(this.#blockAt(index).keys.at(-1) ?? ''));
    const block = this.#blockAt(blockIndex);
    const offset = firstFalse(block.keys.length, (index) => isBefore(block.keys[index] ?? ''));
    return { blockIndex, block, offset };
  }

  #split(blockIndex: number, { keys }: Block): void {
    // A block that grew at its end holds ascending keys: leave it nearly full.
    const half = blockIndex === this.#blocks.length - 1 ? keys.length - 1 : keys.length >> 1;
    this.#blocks.splice(blockIndex + 1, 0, { keys: keys.splice(half) });
  }

  #blockAt(index: number): Block {
    const block = this.#blocks[index];
    if (block === undefined) throw new Bug(`there is no block ${index}`);
    return block;
  }
}

/** The first index below `end` at which the test fails, or `end`. */
function firstFalse(end: number, test: (index: number) => boolean): number {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
