/** Deletes the contents of terminating namespaces, then finalizes them. */

import { jsonEqual } from '../../base/json.ts';
import { after, type Controller, done, KubeError, type Next } from '../../kubernetes/client/index.ts';
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

export function createNamespaceController(
  { kube, caches, env, settings }: WorkloadContext,
  inventory: Inventory,
): Controller {
  const namespaces = caches.of(namespace);

  async function reconcile(name: string): Promise<Next> {
    const one = namespaces.get({ name });
    if (one === undefined || !isToBeEmptied(one)) return done;
    if (!inventory.isFilled()) return after(settings.inventoryRetryMs, 'not all resources are synced yet');
    const cached = contentsInCaches(name);
    // Recently created objects may not be cached yet.
    const contents = cached.length > 0 ? cached : await contentsOnServer(name);
    if (contents.length === 0) {
      await carryOut(kube, finalized(one));
      return done;
    }
    const refusals = await remove(contents);
    await report(one, contents, refusals);
    return after(settings.namespaceRetryMs, 'the namespace is not empty yet');
  }

  function contentsInCaches(name: string): readonly Contents[] {
    return inventory
      .all()
      .filter(({ resource }) => resource.scope === 'Namespaced')
      .map(({ resource, cache }) => ({ resource, objects: cache.by('namespace', name) }))
      .filter(({ objects }) => objects.length > 0);
  }

  async function contentsOnServer(name: string): Promise<readonly Contents[]> {
    const contents: Contents[] = [];
    for (const { resource } of inventory.all()) {
      if (resource.scope !== 'Namespaced') continue;
      const { items } = await kube.list(resource, { namespace: name });
      if (items.length > 0) contents.push({ resource, objects: items });
    }
    return contents;
  }

  /** A rejected deletion does not block the others. */
  async function remove(contents: readonly Contents[]): Promise<readonly string[]> {
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

  /** Objects that were deleted just now are not reported as remaining yet. */
  async function report(
    one: Namespace,
    contents: readonly Contents[],
    refusals: readonly string[],
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
    reconcile,
  };
}
