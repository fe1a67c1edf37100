/**
 * The objects of a cache: frozen, indexed, and told of to whoever listens. A reflector fills it; nobody else writes.
 *
 * What others bring in (transforms, indexes, listeners) may fail on an object that nobody thought of. That is logged,
 * and the next object has its turn: one strange object must not blind a controller to all others.
 */
import type { Log } from '../../base/env.ts';
import { Bug, errorText } from '../../base/errors.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { AnyObject, Change } from './kube.ts';
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
  readonly transform?: ((object: T) => T) | undefined;
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

  /** The index that files by this function; one for all who bring the same. */
  index(keysOf: KeysOf<T>): ObjectIndex<T> {
    const known = this.#indexes.get(keysOf);
    if (known !== undefined) return known;
    const index = new ObjectIndex<T>((object) => this.#guarded('index', () => keysOf(object)) ?? []);
    for (const [key, object] of this.#objects) index.set(key, object);
    this.#indexes.set(keysOf, index);
    return index;
  }

  /** Who comes late is told of all that is there already, as if it had come just now. */
  onChange(listener: Listener<T>): void {
    this.#listeners.push(listener);
    for (const after of [...this.#objects.values()]) this.#notify(listener, { before: undefined, after });
  }

  /** What is kept of an object. One that has not changed stays the very same. */
  prepare(raw: RawObject): T {
    const known = this.#objects.get(keyOf(raw.metadata));
    if (known !== undefined && isSame(known, raw)) return known;
    const object = typed<T>(withoutManagedFields(raw));
    const { transform } = this.#options;
    if (transform === undefined) return deepFreeze(object);
    return deepFreeze(this.#guarded('transform', () => transform(object)) ?? object);
  }

  /** These and no others are there now. The cache is as new as they are before anybody hears of it. */
  replace(objects: readonly T[]): void {
    const gone = new Set(this.#objects.keys());
    const changes: Change<T>[] = [];
    for (const object of objects) {
      const key = keyOf(object.metadata);
      gone.delete(key);
      changes.push(...this.#set(key, object));
    }
    for (const key of gone) changes.push(...this.#set(key, undefined));
    this.#tell(changes);
  }

  /** What is older than what is known, or the same, changes nothing. */
  put(object: T): void {
    const key = keyOf(object.metadata);
    const known = this.#objects.get(key);
    if (known !== undefined && isOlder(versionOf(object), versionOf(known))) return;
    this.#tell(this.#set(key, object));
  }

  /** A deletion that is older than the object is that of one which had the name before. */
  remove(object: AnyObject): void {
    const key = keyOf(object.metadata);
    const known = this.#objects.get(key);
    if (known === undefined || isOlder(versionOf(object), versionOf(known))) return;
    this.#tell(this.#set(key, undefined));
  }

  #set(key: string, after: T | undefined): readonly Change<T>[] {
    const before = this.#objects.get(key);
    if (before === after || (before !== undefined && after !== undefined && isSame(before, after))) return [];
    if (after === undefined) this.#objects.delete(key);
    else this.#objects.set(key, after);
    for (const index of this.#indexes.values()) index.set(key, after);
    // One with another uid is another object: that the first has gone must not be overlooked.
    const isReplaced =
      before !== undefined && after !== undefined && before.metadata.uid !== after.metadata.uid;
    if (!isReplaced) return [{ before, after }];
    return [
      { before, after: undefined },
      { before: undefined, after },
    ];
  }

  #tell(changes: readonly Change<T>[]): void {
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
      log.error('a cache was given code that fails', { cache: name, what, error: errorText(error) });
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

/** Who owns which field is half of an object, and only the server reads it. */
function withoutManagedFields(object: RawObject): RawObject {
  const { managedFields, ...metadata } = object.metadata;
  return managedFields === undefined ? object : { ...object, metadata };
}
