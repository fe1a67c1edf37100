/**
 * Deletes rendered configs that nothing needs, as `decidePruning` decides.
 *
 * Why no node is left without its config, although the cluster changes meanwhile:
 *
 * 1. A new reference to a config begins with a pool that targets it. All others copy its name from an object that has it already:
 *    the node controller and the builder from the pool, the MachineConfigNode and the Node from the node controller, the disk from
 *    the Node.
 * 2. Before the render controller points a pool at a config that exists, it writes the time into it, and likewise before it points
 *    the pool away (`last-targeted`). So a config that was read before that has another version by now, and its deletion is
 *    refused; one that was read after it is younger than the minimum age, and is kept.
 * 3. Names are copied in one direction, and the objects are read in that direction after the configs. A name that has left an
 *    object by the time it is read has arrived in the next one, which is read later. A copy that is still on its way, of a pool
 *    that has moved on, is much younger than the minimum age.
 * 4. With a minimum age of zero (`--min-age 0s`) what is left is the moment between the last look and the deletion. A pool that was
 *    pointed at the config within it gets it again: its deletion makes the render controller render the pool, and the same content
 *    has the same name.
 */
import {
  type MachineConfig,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
  machineOSBuild as machineOSBuildKind,
} from '../../api/index.ts';
import { isRendered } from '../../config/render/index.ts';
import {
  type AnyObject,
  isConflict,
  type Kube,
  KubeError,
  type ResourceOf,
} from '../../kubernetes/client/index.ts';
import { nameOf, type ObjectMeta } from '../../kubernetes/meta/index.ts';
import { node as nodeKind } from '../../kubernetes/types/index.ts';
import {
  decidePruning,
  type PruneDecision,
  type PruneInput,
  type RenderedConfig,
} from '../../rollout/index.ts';

export type PruneOptions = Pick<PruneInput, 'keep' | 'minAgeMs'> & { readonly nowMs: () => number };

/** So many configs are deleted after one look at what refers to them. */
const DELETED_PER_LOOK = 20;

export type Pruned = PruneDecision & {
  /** Why it is still there although it was to be deleted; undefined where it is gone. */
  readonly refused?: string;
};

/** The rendered configs of the server, without their content. */
export async function listRenderedConfigs(kube: Kube): Promise<readonly RenderedConfig[]> {
  const { items } = await kube.list(machineConfigKind);
  return items.filter(({ metadata }) => isRendered(metadata)).map(({ metadata }) => ({ metadata }));
}

/** What would be deleted now. `configs` have to be read before. */
export async function lookForPruning(
  kube: Kube,
  configs: readonly RenderedConfig[],
  { keep, minAgeMs, nowMs }: PruneOptions,
): Promise<readonly PruneDecision[]> {
  // In this order: see above.
  const pools = await listServed(kube, machineConfigPoolKind);
  const builds = await listServed(kube, machineOSBuildKind);
  const machineConfigNodes = await listServed(kube, machineConfigNodeKind);
  const nodes = await listServed(kube, nodeKind);
  return decidePruning({ configs, pools, builds, machineConfigNodes, nodes, keep, minAgeMs, nowMs: nowMs() });
}

/** A cluster without the kind has no object that could refer to anything. */
async function listServed<T extends AnyObject>(kube: Kube, kind: ResourceOf<T>): Promise<readonly T[]> {
  try {
    return (await kube.list(kind)).items;
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return [];
    throw error;
  }
}

/**
 * Deletes those of the given configs that nothing needs, with a look right before, and calls `onPruned` for each that was to be deleted.
 * Each is deleted in the version that it was read in, or not at all.
 */
export async function pruneConfigs(
  kube: Kube,
  configs: readonly RenderedConfig[],
  options: PruneOptions & { readonly onPruned: (pruned: Pruned) => void; readonly maxDeleted?: number },
): Promise<void> {
  const tried = new Set<string>();
  const { maxDeleted = Number.POSITIVE_INFINITY, onPruned } = options;
  while (tried.size < maxDeleted) {
    const decisions = await lookForPruning(kube, configs, options);
    const due = decisions.filter(({ config, reasons }) => reasons.length === 0 && !tried.has(nameOf(config)));
    const chosen = due.slice(0, Math.min(DELETED_PER_LOOK, maxDeleted - tried.size));
    if (chosen.length === 0) return;
    for (const decision of chosen) {
      tried.add(nameOf(decision.config));
      const refused = await deleteConfig(kube, decision.config.metadata);
      onPruned(refused === undefined ? decision : { ...decision, refused });
    }
  }
}

async function deleteConfig(
  kube: Kube,
  { name, uid, resourceVersion }: ObjectMeta,
): Promise<string | undefined> {
  if (uid === undefined || resourceVersion === undefined) return 'its version is unknown';
  try {
    await kube.delete<MachineConfig>(machineConfigKind, { name }, { uid, resourceVersion });
    return undefined;
  } catch (error) {
    if (isConflict(error)) return 'it was changed meanwhile';
    throw error;
  }
}
