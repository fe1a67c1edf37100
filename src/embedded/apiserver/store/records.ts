/**
 * Objects in the store: their keys, and how they are read.
 *
 * A key is `GROUP/PLURAL/NAMESPACE/NAME`, or without the namespace for cluster-scoped resources. All versions of a
 * kind share their keys, and so do the events of both groups.
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
  /** The stored bytes; absent if they are not known. */
  readonly value?: Uint8Array;
};

export function keyOf(resource: Resource, namespace: string, name: string): string {
  return `${prefixOf(resource, namespace)}${name}`;
}

/** Of all objects in a namespace, or in all namespaces if it is empty. */
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

/** The object that was just written, as readers see it. */
export function writtenObject(
  { store, catalog }: { readonly store: Store; readonly catalog: Catalog },
  resource: Resource,
  { entry, object }: { readonly entry: Entry; readonly object: JsonObject },
): Live {
  const { revision, value } = entry;
  const written = asDecoded(object, revision, typeOf(resource));
  // Other versions, and events of the other group, are stored differently than written.
  const isOther = isEventsGroup(resource) || (catalog.customOf(resource)?.resources.length ?? 1) > 1;
  if (isOther) return { object: written, revision };
  const { convertStored } = resource.strategy;
  const shown = convertStored === undefined ? written : convertStored(written);
  recentObjects(store).put(entry, resource, shown);
  return { object: written, revision, value };
}

/** The object as readers see it. */
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

/** Encodes an object in its storage version. */
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

/** Whether stored bytes can be sent without decoding. */
export function isShownAsStored(resource: Resource): boolean {
  return resource.strategy.convertStored === undefined && !isEventsGroup(resource);
}

export function* allObjects(store: Store, resource: Resource, namespace: string): Iterable<JsonObject> {
  const page = store.range({ prefix: prefixOf(resource, namespace) });
  assert(page.kind === 'page', 'the newest state can always be read');
  for (const entry of page.entries) yield shownObject(resource, entry);
}

/**
 * The kind in Statuses. Validation of custom resources uses the kind of the object itself; validation of events
 * ignores their second group.
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
