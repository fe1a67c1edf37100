/**
 * The objects of a cache: frozen, indexed, with listeners for changes. Only the reflector writes it.
 *
 * Transforms, indexes and listeners may throw on an unexpected object. That is logged, and the next object is processed: one
 * such object must not hide all others from a controller.
 */
import type { Log } from '../../base/env.ts';
import { Bug, errorText } from '../../base/errors.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { AnyObject, Change, Transform } from './kube.ts';
import { typed } from './list-all.ts';
import { ObjectIndex } from './object-index.ts';
import { keyOf, type RawObject } from './raw-object.ts';
import type { ReflectorTarget } from './reflector.ts';
import { isOlder } from './versions.ts';

type KeysOf<T> = (object: T) => readonly string[];
type Listener<T> = (change: Change<T>) => void;

type ObjectStoreOptions<T> = {
  readonly log: Log;
  /** In log lines. */
  readonly name: string;
  readonly transform?: Transform<T> | undefined;
};

export class ObjectStore<T extends AnyObject> implements ReflectorTarget<T> {
  readonly #options: ObjectStoreOptions<T>;
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<KeysOf<T>, ObjectIndex<T>>();
  readonly #listeners: Listener<T>[] = [];

  constructor(options: ObjectStoreOptions<T>) {
    this.#options = options;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  all(): Iterable<T> {
    return { [Symbol.iterator]: () => this.#objects.values() };
  }

  get size(): number {
    return this.#objects.size;
  }

  /** The index with this key function; shared between callers with the same one. */
  index(keysOf: KeysOf<T>): ObjectIndex<T> {
    const known = this.#indexes.get(keysOf);
    if (known !== undefined) return known;
    const index = new ObjectIndex<T>((object) => this.#guarded('index', () => keysOf(object)) ?? []);
    for (const [key, object] of this.#objects) index.set(key, object);
    this.#indexes.set(keysOf, index);
    return index;
  }

  /** A listener that is added later is called for all existing objects, as if they were new. */
  onChange(listener: Listener<T>): void {
    this.#listeners.push(listener);
    for (const after of [...this.#objects.values()]) this.#notify(listener, { before: undefined, after });
  }

  /** The object as it is stored. An unchanged one stays identical. */
  prepare(raw: RawObject): T {
    const known = this.#objects.get(keyOf(raw.metadata));
    if (known !== undefined && isSame(known, raw)) return known;
    const object = typed<T>(withoutManagedFields(raw));
    const { transform } = this.#options;
    if (transform === undefined) return deepFreeze(object);
    const { managedFields = [] } = raw.metadata;
    return deepFreeze(this.#guarded('transform', () => transform(object, managedFields)) ?? object);
  }

  /** Replaces all objects. Listeners are called after all of them are stored. */
  replace(objects: readonly T[]): void {
    const gone = new Set(this.#objects.keys());
    const changes: Change<T>[] = [];
    for (const object of objects) {
      const key = keyOf(object.metadata);
      gone.delete(key);
      changes.push(...this.#set(key, object));
    }
    for (const key of gone) changes.push(...this.#set(key, undefined));
    this.#notifyAll(changes);
  }

  /** Ignores an object that is older than the stored one, or the same. */
  put(object: T): void {
    const key = keyOf(object.metadata);
    const known = this.#objects.get(key);
    if (known !== undefined && isOlder(versionOf(object), versionOf(known))) return;
    this.#notifyAll(this.#set(key, object));
  }

  /** A deletion that is older than the stored object is of an earlier one with the same name. */
  remove(object: AnyObject): void {
    const key = keyOf(object.metadata);
    const known = this.#objects.get(key);
    if (known === undefined || isOlder(versionOf(object), versionOf(known))) return;
    this.#notifyAll(this.#set(key, undefined));
  }

  #set(key: string, after: T | undefined): readonly Change<T>[] {
    const before = this.#objects.get(key);
    if (before === after || (before !== undefined && after !== undefined && isSame(before, after))) return [];
    if (after === undefined) this.#objects.delete(key);
    else this.#objects.set(key, after);
    for (const index of this.#indexes.values()) index.set(key, after);
    // Another uid is another object: the deletion of the first one is reported too.
    const isReplaced =
      before !== undefined && after !== undefined && before.metadata.uid !== after.metadata.uid;
    if (!isReplaced) return [{ before, after }];
    return [
      { before, after: undefined },
      { before: undefined, after },
    ];
  }

  #notifyAll(changes: readonly Change<T>[]): void {
    for (const change of changes) for (const listener of this.#listeners) this.#notify(listener, change);
  }

  #notify(listener: Listener<T>, change: Change<T>): void {
    this.#guarded('listener', () => listener(change));
  }

  #guarded<R>(what: 'index' | 'listener' | 'transform', call: () => R): R | undefined {
    try {
      return call();
    } catch (error) {
      if (error instanceof Bug) throw error;
      const { log, name } = this.#options;
      log.error('cache callback failed', { cache: name, what, error: errorText(error) });
      return undefined;
    }
  }
}

function versionOf({ metadata }: AnyObject): string {
  return metadata.resourceVersion ?? '';
}

function isSame(a: AnyObject, b: AnyObject): boolean {
  return versionOf(a) !== '' && versionOf(a) === versionOf(b) && a.metadata.uid === b.metadata.uid;
}

/** `managedFields` are half of an object, and only the server needs them. */
function withoutManagedFields(object: RawObject): RawObject {
  const { managedFields, ...metadata } = object.metadata;
  return managedFields === undefined ? object : { ...object, metadata };
}
