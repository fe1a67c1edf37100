/**
 * An index of objects by keys, updated as they change: the cost of a change does not grow with the number of objects.
 */

export class ObjectIndex<T> {
  readonly #keysOf: (object: T) => readonly string[];
  readonly #files = new Map<string, File<T>>();
  /** By object: its keys. Computing them again could give another result. */
  readonly #filed = new Map<string, readonly string[]>();

  constructor(keysOf: (object: T) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  /** Updates the object with this id; undefined where it is gone. */
  set(id: string, object: T | undefined): void {
    const before = this.#filed.get(id) ?? [];
    const keys = object === undefined ? [] : [...new Set(this.#keysOf(object))];
    for (const key of before) if (!keys.includes(key)) this.#remove(key, id);
    if (object === undefined) this.#filed.delete(id);
    else {
      for (const key of keys) this.#put(key, { id, object });
      this.#filed.set(id, keys);
    }
  }

  /** The same list until it changes. */
  get(key: string): readonly T[] {
    const file = this.#files.get(key);
    if (file === undefined) return NOTHING;
    file.list ??= Object.freeze([...file.objects.values()]);
    return file.list;
  }

  #put(key: string, { id, object }: { readonly id: string; readonly object: T }): void {
    const file = this.#files.get(key) ?? { objects: new Map<string, T>(), list: undefined };
    this.#files.set(key, file);
    file.objects.set(id, object);
    file.list = undefined;
  }

  #remove(key: string, id: string): void {
    const file = this.#files.get(key);
    if (file === undefined) return;
    file.objects.delete(id);
    file.list = undefined;
    if (file.objects.size === 0) this.#files.delete(key);
  }
}

type File<T> = { readonly objects: Map<string, T>; list: readonly T[] | undefined };

const NOTHING: readonly never[] = Object.freeze([]);
