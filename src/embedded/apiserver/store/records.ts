/**
 * Objects in the store: where they lie, and how they are read.
 *
 * A key is `GROUP/PLURAL/NAMESPACE/NAME`, or without a namespace for what has none. All versions of a kind lie in
 * the same place, and the events of both groups too.
 */

import { assert } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { toStorageVersion } from '../../crds/index.ts';
import { coreEventOf, eventsEventOf, type Resource } from '../../resources/index.ts';
import type { Catalog } from '../catalog.ts';
import { recentObjects } from './recent-objects.ts';
import type { Entry, Store } from './store.ts';
import { asDecoded, decodeObject, encodeObject } from './stored-object.ts';

export type Live = {
  readonly object: JsonObject;
  readonly revision: number;
  /** How it is kept; absent for what is not. */
  readonly value?: Uint8Array;
};

export function keyOf(resource: Resource, namespace: string, name: string): string {
  return `${prefixOf(resource, namespace)}${name}`;
}

/** Of all objects in a namespace, or of all there are where it is empty. */
export function prefixOf(resource: Resource, namespace: string): string {
  const root = `${isEventsGroup(resource) ? '' : resource.group}/${resource.plural}/`;
  return resource.scope === 'Namespaced' && namespace !== '' ? `${root}${namespace}/` : root;
}

export function readObject(
  store: Store,
  resource: Resource,
  namespace: string,
  name: string,
): Live | undefined {
  const entry = store.get(keyOf(resource, namespace, name));
  if (entry === undefined) return undefined;
  const recent = recentObjects(store);
  const known = recent.get(entry, resource);
  const object = known ?? shownObject(resource, entry);
  if (known === undefined) recent.put(entry, resource, object);
  const { revision, value } = entry;
  return { object, revision, value };
}

/** What was just written, as whoever reads it now sees it. */
export function writtenObject(
  { store, catalog }: { readonly store: Store; readonly catalog: Catalog },
  resource: Resource,
  { entry, object }: { readonly entry: Entry; readonly object: JsonObject },
): Live {
  const { revision, value } = entry;
  const written = asDecoded(object, revision, typeOf(resource));
  // In other versions, and by the other name of events, it is kept in another form than it was written in.
  const isOther = isEventsGroup(resource) || (catalog.customOf(resource)?.resources.length ?? 1) > 1;
  if (isOther) return { object: written, revision };
  const { convertStored } = resource.strategy;
  const shown = convertStored === undefined ? written : convertStored(written);
  recentObjects(store).put(entry, resource, shown);
  return { object: written, revision, value };
}

/** As a reader sees it, today. */
export function shownObject(
  resource: Resource,
  { value, revision }: Pick<Entry, 'value' | 'revision'>,
): JsonObject {
  const stored = decodeObject(value, revision, typeOf(resource));
  if (isEventsGroup(resource)) return eventsEventOf(stored);
  return resource.strategy.convertStored === undefined ? stored : resource.strategy.convertStored(stored);
}

function typeOf(resource: Resource): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

/** What is kept of an object, in whichever version it was written. */
export function storedBytes(
  { catalog }: { readonly catalog: Catalog },
  resource: Resource,
  object: JsonObject,
): Uint8Array {
  if (isEventsGroup(resource)) return encodeObject(coreEventOf(object));
  const custom = catalog.customOf(resource);
  const isOther = custom !== undefined && custom.resources.length > 1;
  return encodeObject(isOther ? toStorageVersion(custom.definition, object) : object);
}

/** Whether what is stored can be shown without a look at it. */
export function isShownAsStored(resource: Resource): boolean {
  return resource.strategy.convertStored === undefined && !isEventsGroup(resource);
}

export function* allObjects(store: Store, resource: Resource, namespace: string): Iterable<JsonObject> {
  const page = store.range({ prefix: prefixOf(resource, namespace) });
  assert(page.kind === 'page', 'the newest state can always be read');
  for (const entry of page.entries) yield shownObject(resource, entry);
}

/**
 * How Statuses name the kind of an object. Those who check objects of custom kinds believe what these say of
 * themselves; and those who check events do not know that there are two groups of them.
 */
export function statusKind(
  resource: Resource,
  { apiVersion, kind }: JsonObject,
): { readonly group: string; readonly kind: string } {
  if (resource.origin === 'builtin') {
    return { group: isEventsGroup(resource) ? '' : resource.group, kind: resource.kind };
  }
  const [group = '', version] = String(apiVersion ?? '').split('/');
  return { group: version === undefined ? '' : group, kind: String(kind ?? '') };
}

function isEventsGroup({ group, plural }: Resource): boolean {
  return group === 'events.k8s.io' && plural === 'events';
}
