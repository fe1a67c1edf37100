/**
 * All objects of a small kind, decoded and always current: for objects that every request needs (roles, policies).
 */
import { assert } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { Resource } from '../../resources/index.ts';
import { prefixOf, shownObject } from './records.ts';
import type { Store, Subscription } from './store.ts';

export class StoreCache {
  readonly #prefix: string;
  readonly #objects = new Map<string, JsonObject>();
  readonly #subscription: Subscription;
  #all: readonly JsonObject[] | undefined;
  #byNamespace: Map<string, readonly JsonObject[]> | undefined;

  constructor(store: Store, resource: Resource) {
    this.#prefix = prefixOf(resource, '');
    const page = store.range({ prefix: this.#prefix });
    assert(page.kind === 'page', 'the newest state can always be read');
    for (const entry of page.entries)
      this.#objects.set(this.#nameOf(entry.key), shownObject(resource, entry));
    const subscribed = store.subscribe({ prefix: this.#prefix, from: page.revision }, (event) => {
      const name = this.#nameOf(event.key);
      if (event.kind === 'put') this.#objects.set(name, shownObject(resource, event));
      else this.#objects.delete(name);
      this.#all = undefined;
      this.#byNamespace = undefined;
    });
    assert(subscribed.kind === 'subscribed', 'the newest state can always be followed');
    this.#subscription = subscribed.subscription;
  }

  /** `NAME`, or `NAMESPACE/NAME`. */
  get(name: string): JsonObject | undefined {
    return this.#objects.get(name);
  }

  /** The same array until something changes, sorted by name. */
  all(): readonly JsonObject[] {
    this.#all ??= this.#sorted();
    return this.#all;
  }

  in(namespace: string): readonly JsonObject[] {
    this.#byNamespace ??= new Map();
    const known = this.#byNamespace.get(namespace);
    if (known !== undefined) return known;
    const found = this.#sorted(`${namespace}/`);
    this.#byNamespace.set(namespace, found);
    return found;
  }

  stop(): void {
    this.#subscription.cancel();
  }

  #sorted(prefix = ''): readonly JsonObject[] {
    const names = [...this.#objects.keys()].filter((name) => name.startsWith(prefix)).sort();
    return names.map((name) => this.#objects.get(name)).filter((object) => object !== undefined);
  }

  #nameOf(key: string): string {
    return key.slice(this.#prefix.length);
  }
}
