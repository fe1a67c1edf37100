/**
 * Maps changes of dependents to work queue keys: a pod to its controller, and an orphan to every controller that might
 * adopt it.
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

/** Cache index by namespace, to find possible owners of an orphan. */
export const byNamespace: NonNullable<CacheOptions<AnyObject>['indexes']> = {
  namespace: ({ metadata }) => [metadata.namespace ?? ''],
};

type Owners<O extends AnyObject> = {
  readonly resource: ResourceOf<O>;
  readonly cache: Cache<O>;
  readonly selectorOf: (owner: O) => LabelSelector | undefined;
};

/** Enqueues owners when they or their dependents change. */
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
