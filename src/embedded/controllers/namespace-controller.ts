/** Deletes the contents of terminating namespaces, then finalizes them. */

import { jsonEqual } from '../../base/json.ts';
import {
  after,
  type Cache,
  type Controller,
  done,
  type Kube,
  KubeError,
  type Next,
} from '../../kubernetes/client/index.ts';
import { type Namespace, namespace } from '../../kubernetes/types/index.ts';
import {
  type Contents,
  decideContents,
  finalized,
  isToBeEmptied,
  namespaceConditions,
} from './decide-namespace.ts';
import type { Inventory } from './inventory.ts';
import type { WorkloadContext } from './workload-context.ts';
import { carryOut, updateStatus } from './writes.ts';

type NamespaceContext = WorkloadContext & {
  readonly namespaces: Cache<Namespace>;
  readonly inventory: Inventory;
};

export function createNamespaceController(context: WorkloadContext, inventory: Inventory): Controller {
  const namespaces = context.caches.of(namespace);
  return {
    name: 'namespace',
    workers: 2,
    caches: [namespaces, ...inventory.caches],
    watch: (enqueue) => {
      namespaces.onChange(({ after: shown }) => {
        if (shown !== undefined && isToBeEmptied(shown)) enqueue(shown.metadata.name);
      });
      inventory.onChange((_, { before, after: shown }) => {
        const name = (shown ?? before)?.metadata.namespace;
        const one = name === undefined ? undefined : namespaces.get({ name });
        if (one !== undefined && isToBeEmptied(one)) enqueue(one.metadata.name);
      });
    },
    reconcile: (name) => reconcile({ ...context, namespaces, inventory }, name),
  };
}

async function reconcile(context: NamespaceContext, name: string): Promise<Next> {
  const { kube, settings, namespaces, inventory } = context;
  const one = namespaces.get({ name });
  if (one === undefined || !isToBeEmptied(one)) return done;
  if (!inventory.isFilled()) return after(settings.inventoryRetryMs, 'not all resources are synced yet');
  const cached = contentsInCaches(inventory, name);
  // Recently created objects may not be cached yet.
  const contents = cached.length > 0 ? cached : await contentsOnServer(context, name);
  if (contents.length === 0) {
    await carryOut(kube, finalized(one));
    return done;
  }
  const refusals = await deleteContents(kube, contents);
  await reportRemaining(context, one, { contents, refusals });
  return after(settings.namespaceRetryMs, 'the namespace is not empty yet');
}

function contentsInCaches(inventory: Inventory, name: string): readonly Contents[] {
  return inventory
    .all()
    .filter(({ resource }) => resource.scope === 'Namespaced')
    .map(({ resource, cache }) => ({ resource, objects: cache.by('namespace', name) }))
    .filter(({ objects }) => objects.length > 0);
}

async function contentsOnServer(
  { kube, inventory }: NamespaceContext,
  name: string,
): Promise<readonly Contents[]> {
  const contents: Contents[] = [];
  for (const { resource } of inventory.all()) {
    if (resource.scope !== 'Namespaced') continue;
    const { items } = await kube.list(resource, { namespace: name });
    if (items.length > 0) contents.push({ resource, objects: items });
  }
  return contents;
}

/** The messages of rejected deletions; one of them does not block the others. */
async function deleteContents(kube: Kube, contents: readonly Contents[]): Promise<readonly string[]> {
  const refusals: string[] = [];
  for (const write of decideContents(contents)) {
    try {
      await carryOut(kube, write);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      refusals.push(error.message);
    }
  }
  return refusals;
}

type Deletion = { readonly contents: readonly Contents[]; readonly refusals: readonly string[] };

/** Objects that were deleted just now are not reported as remaining yet. */
async function reportRemaining(
  { kube, env }: NamespaceContext,
  one: Namespace,
  { contents, refusals }: Deletion,
): Promise<void> {
  const remaining = contents.map(({ resource, objects }) => ({
    resource,
    objects: objects.filter(({ metadata }) => metadata.deletionTimestamp !== undefined),
  }));
  const isReportable = refusals.length > 0 || remaining.some(({ objects }) => objects.length > 0);
  if (!isReportable) return;
  const nowMs = env.clock.now();
  const conditions = namespaceConditions(one, { contents: remaining, refusals, nowMs });
  if (jsonEqual(conditions, one.status?.conditions)) return;
  const status = { ...one.status, conditions };
  await carryOut(kube, updateStatus(namespace, { ...one, status }));
}
