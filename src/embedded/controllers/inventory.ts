/**
 * Everything that the server keeps, of whatever kind: the kinds that it brings itself, and those of the definitions that
 * there are now. Of kinds that nothing else here reads only the metadata is kept.
 */

import type { AnyObject, Cache, Caches, Change, ResourceOf } from '../../kubernetes/client/index.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import {
  type AnyBuiltin,
  builtins,
  type CustomResourceDefinition,
  clusterRole,
  customResourceDefinition,
  daemonSet,
  deployment,
  job,
  namespace,
  node,
  pod,
  podDisruptionBudget,
  replicaSet,
} from '../../kubernetes/types/index.ts';
import { byNamespace } from './workloads/follow-owned.ts';

/** A kind that is served, and its objects. */
export type MonitoredResource = {
  /** `configmaps` or `widgets.example.com`. */
  readonly id: string;
  readonly resource: ResourceOf<AnyObject>;
  /** The versions in which references may name it. */
  readonly versions: readonly string[];
  /** Filed by namespace (`namespace`), and under the uids of their owners (`owner`). */
  readonly cache: Cache<AnyObject>;
};

type Listener = (kept: MonitoredResource, change: Change<AnyObject>) => void;

/** Kinds that other controllers of this module follow as a whole: a second copy would take more than it saves. */
const FOLLOWED: ReadonlySet<ResourceOf<AnyObject>> = new Set<ResourceOf<AnyObject>>([
  clusterRole,
  daemonSet,
  deployment,
  job,
  namespace,
  node,
  pod,
  podDisruptionBudget,
  replicaSet,
]);

const indexes = {
  ...byNamespace,
  owner: ({ metadata }: AnyObject) => (metadata.ownerReferences ?? []).map(({ uid }) => uid),
};

export class Inventory {
  readonly #caches: Caches;
  /** All that were ever served, by id and version: a cache that has begun does not end. */
  readonly #known = new Map<string, MonitoredResource>();
  readonly #builtin: readonly MonitoredResource[];
  readonly #definitions: Cache<CustomResourceDefinition>;
  /** Of the definitions, by their names. */
  readonly #custom = new Map<string, MonitoredResource>();
  readonly #filled = new Set<Cache<AnyObject>>();
  readonly #listeners: Listener[] = [];

  constructor(caches: Caches) {
    this.#caches = caches;
    this.#definitions = caches.of(customResourceDefinition, { indexes, transform: withoutSchemas });
    this.#builtin = builtins.filter(isKept).map((resource) => this.#keep(resource, [resource.version]));
    this.#definitions.onChange(({ before, after }) => {
      const kept = after === undefined ? undefined : this.#customOf(after);
      const { name } = (after ?? before)?.metadata ?? { name: '' };
      if (kept === undefined) this.#custom.delete(name);
      else this.#custom.set(name, kept);
    });
  }

  /** Must be filled before anything is concluded from what is not there. */
  get caches(): readonly Cache<AnyObject>[] {
    return [this.#definitions, ...this.#builtin.map(({ cache }) => cache)];
  }

  /** What is served now. */
  all(): readonly MonitoredResource[] {
    return [...this.#builtin, ...this.#custom.values()];
  }

  /** False while kinds have come whose objects are not known yet. */
  isFilled(): boolean {
    return this.all().every(({ cache }) => this.#filled.has(cache));
  }

  byId(id: string): MonitoredResource | undefined {
    return this.all().find((kept) => kept.id === id);
  }

  /** The kind that a reference names; undefined where it is not served. */
  byKind(apiVersion: string, kind: string): MonitoredResource | undefined {
    return this.all().find(
      ({ resource, versions }) =>
        resource.kind === kind &&
        versions.some((version) => apiVersionOf({ group: resource.group, version }) === apiVersion),
    );
  }

  /** Called for every object of every kind as it changes, beginning with those that are there. */
  onChange(listener: Listener): void {
    this.#listeners.push(listener);
    for (const kept of this.#known.values()) kept.cache.onChange((change) => listener(kept, change));
  }

  #customOf({ spec, status }: CustomResourceDefinition): MonitoredResource | undefined {
    const isEstablished = (status?.conditions ?? []).some(
      ({ type, status: is }) => type === 'Established' && is === 'True',
    );
    const served = spec.versions.filter((version) => version.served);
    const version = served.find(({ storage }) => storage) ?? served[0];
    if (!isEstablished || version === undefined) return undefined;
    const { group, names, scope } = spec;
    const resource = {
      group,
      version: version.name,
      kind: names.kind,
      plural: names.plural,
      scope: scope === 'Cluster' ? ('Cluster' as const) : ('Namespaced' as const),
      schema: {},
    };
    return this.#keep(
      resource,
      served.map(({ name }) => name),
    );
  }

  #keep(resource: ResourceOf<AnyObject>, versions: readonly string[]): MonitoredResource {
    const { group, version, plural } = resource;
    const id = group === '' ? plural : `${plural}.${group}`;
    const known = this.#known.get(`${id}/${version}`);
    // Further versions are further names of the same objects.
    if (known !== undefined) return { ...known, versions };
    const cache = this.#cacheOf(resource);
    const kept: MonitoredResource = { id, resource, versions, cache };
    this.#known.set(`${id}/${version}`, kept);
    // That the cache stops before it is filled is no news to whoever stops it.
    cache.synced.then(() => this.#filled.add(cache)).catch(() => undefined);
    for (const listener of this.#listeners) cache.onChange((change) => listener(kept, change));
    return kept;
  }

  #cacheOf(resource: ResourceOf<AnyObject>): Cache<AnyObject> {
    if (resource === customResourceDefinition) return this.#definitions;
    if (FOLLOWED.has(resource)) return this.#caches.of(resource, { indexes });
    return this.#caches.of(resource, { indexes, transform: metadataOnly });
  }
}

/** Events come and go by themselves, and are never owned. */
function isKept({ verbs, kind, listKind }: AnyBuiltin): boolean {
  return (
    listKind !== undefined &&
    kind !== 'Event' &&
    ['list', 'watch', 'delete'].every((verb) => verbs.some((one) => one === verb))
  );
}

/** Schemas are by far the most of a definition. */
function withoutSchemas(definition: CustomResourceDefinition): CustomResourceDefinition {
  const versions = definition.spec.versions.map(({ name, served, storage }) => ({ name, served, storage }));
  return { ...definition, spec: { ...definition.spec, versions } };
}

function metadataOnly({ apiVersion, kind, metadata }: AnyObject): AnyObject {
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata,
  };
}
