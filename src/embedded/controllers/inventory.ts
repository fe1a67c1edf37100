/**
 * Caches of all objects of the server: built-in kinds, and those of the current CRDs. For kinds that no other controller
 * reads only metadata is cached.
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

/** A served resource and its cached objects. */
export type MonitoredResource = {
  /** `configmaps` or `widgets.example.com`. */
  readonly id: string;
  readonly resource: ResourceOf<AnyObject>;
  /** The versions that owner references may use. */
  readonly versions: readonly string[];
  /** Indexed by namespace (`namespace`) and by the UIDs of owners (`owner`). */
  readonly cache: Cache<AnyObject>;
};

type Listener = (kept: MonitoredResource, change: Change<AnyObject>) => void;

/** Kinds that other controllers cache in full, so that a second cache would cost more than it saves. */
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
  /** All resources ever served, by id and version: caches are never stopped. */
  readonly #known = new Map<string, MonitoredResource>();
  readonly #builtin: readonly MonitoredResource[];
  readonly #definitions: Cache<CustomResourceDefinition>;
  /** Resources of CRDs, by the name of the CRD. */
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

  /** Must be synced before the absence of an object means anything. */
  get caches(): readonly Cache<AnyObject>[] {
    return [this.#definitions, ...this.#builtin.map(({ cache }) => cache)];
  }

  /** The resources served now. */
  all(): readonly MonitoredResource[] {
    return [...this.#builtin, ...this.#custom.values()];
  }

  /** False while the caches of new resources are syncing. */
  isFilled(): boolean {
    return this.all().every(({ cache }) => this.#filled.has(cache));
  }

  byId(id: string): MonitoredResource | undefined {
    return this.all().find((kept) => kept.id === id);
  }

  /** The resource of an owner reference; undefined if it is not served. */
  byKind(apiVersion: string, kind: string): MonitoredResource | undefined {
    return this.all().find(
      ({ resource, versions }) =>
        resource.kind === kind &&
        versions.some((version) => apiVersionOf({ group: resource.group, version }) === apiVersion),
    );
  }

  /** Called for every change of every object, beginning with existing ones. */
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
    // Other versions contain the same objects.
    if (known !== undefined) return { ...known, versions };
    const cache = this.#cacheOf(resource);
    const kept: MonitoredResource = { id, resource, versions, cache };
    this.#known.set(`${id}/${version}`, kept);
    // A rejection only means that the cache was stopped.
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

/** Events expire by themselves and have no owners. */
function isKept({ verbs, kind, listKind }: AnyBuiltin): boolean {
  return (
    listKind !== undefined &&
    kind !== 'Event' &&
    ['list', 'watch', 'delete'].every((verb) => verbs.some((one) => one === verb))
  );
}

/** Schemas are by far the largest part of a CRD. */
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
