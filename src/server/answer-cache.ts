/**
 * The answers that were encoded last. When many machines join at once, each config is encoded once for each version.
 */

/** Pools times versions in use; the least recently used goes. */
const MAX_ANSWERS = 24;
/** A rendered config never changes under its name, but can be deleted and replaced by hand. */
const MAX_AGE_MS = 60_000;

type Entry<T> = { readonly answer: Promise<T>; readonly atMs: number };

export class AnswerCache<T> {
  readonly #entries = new Map<string, Entry<T>>();

  /** The answer for everything that `key` names, made once. One that rejects is not kept. */
  get(key: string, nowMs: number, make: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    this.#entries.delete(key);
    if (known !== undefined && nowMs - known.atMs < MAX_AGE_MS) {
      this.#entries.set(key, known);
      return known.answer;
    }
    const entry = { answer: make(), atMs: nowMs };
    this.#entries.set(key, entry);
    entry.answer.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ANSWERS && oldest !== undefined) this.#entries.delete(oldest);
    return entry.answer;
  }
}
