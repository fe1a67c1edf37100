/**
 * Reads and changes objects in the store of a simulated cluster, past the API server: for modelled parts, whose writes are not what is
 * simulated.
 */
import type { Entry, Store } from '../../embedded/apiserver/index.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Several readers look at each version of an object; nobody changes it in place. */
const parsed = new WeakMap<Uint8Array, unknown>();

/** Undefined where there is none. The caller knows the kind of the key: the store holds what the server wrote. */
export function storedObject<T>(store: Store, key: string): T | undefined {
  const entry = store.get(key);
  return entry === undefined ? undefined : objectOf<T>(entry);
}

/** Repeated where another writer was faster. Nothing happens where there is no such object. */
export async function changeStored<T>(store: Store, key: string, change: (object: T) => T): Promise<void> {
  for (;;) {
    const entry = store.get(key);
    if (entry === undefined) return;
    const changed = change(objectOf<T>(entry));
    const value = encoder.encode(JSON.stringify(changed));
    parsed.set(value, changed);
    const written = await store.commit([{ kind: 'put', key, expect: entry.revision, value }]);
    if (written.kind === 'committed') return;
  }
}

function objectOf<T>({ value }: Pick<Entry, 'value'>): T {
  const known = parsed.get(value);
  if (known !== undefined) return known as T;
  const object: unknown = JSON.parse(decoder.decode(value));
  parsed.set(value, object);
  return object as T;
}
