/**
 * From what is owned to whom to look at: a pod that changes is a matter for its controller, and one that nobody owns for
 * every controller that might take it.
 */

import type {
  AnyObject,
  Cache,
  CacheOptions,
  Enqueue,
  ResourceOf,
} from '../../../kubernetes/client/index.ts';
import { type LabelSelector, matchesSelector } from '../../../kubernetes/meta/index.ts';
import { keyOf } from '../object-keys.ts';
import { controllerOf } from './ownership.ts';

/** How caches file owners, so that an orphan finds those of its namespace. */
export const byNamespace: NonNullable<CacheOptions<AnyObject>['indexes']> = {
  namespace: ({ metadata }) => [metadata.namespace ?? ''],
};

type Owners<O extends AnyObject> = {
  readonly resource: ResourceOf<O>;
  readonly cache: Cache<O>;
  readonly selectorOf: (owner: O) => LabelSelector | undefined;
};

/** Looks at owners as they change, and as what they own does. */
export function followOwned<T extends AnyObject, O extends AnyObject>(
  owned: Cache<T>,
  owners: Owners<O>,
  enqueue: Enqueue,
): void {
  owners.cache.onChange(({ before, after }) => {
    const owner = after ?? before;
    if (owner !== undefined) enqueue(keyOf(owner));
  });
  owned.onChange(({ before, after }) => {
    for (const key of new Set([...ownerKeys(before, owners), ...ownerKeys(after, owners)])) enqueue(key);
  });
}

function ownerKeys<O extends AnyObject>(
  object: AnyObject | undefined,
  { resource, cache, selectorOf }: Owners<O>,
): readonly string[] {
  if (object === undefined) return [];
  const { namespace = '', labels } = object.metadata;
  const reference = controllerOf(object);
  if (reference !== undefined) {
    const isTheirs = reference.kind === resource.kind && groupOf(reference.apiVersion) === resource.group;
    return isTheirs ? [`${namespace}/${reference.name}`] : [];
  }
  return cache
    .by('namespace', namespace)
    .filter((owner) => matchesSelector(selectorOf(owner), labels))
    .map(keyOf);
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
