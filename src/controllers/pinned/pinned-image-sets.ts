/**
 * Pinned image sets: tells pools and nodes which PinnedImageSets they have.
 *
 *     PinnedImageSets, pools ──labels──> pool.spec.pinnedImageSets
 *     nodes of these pools ───────────> annotation pinned-image-sets of each Node
 *
 * Daemons read the annotation of their own Node: watching pools, each of thousands would get every change of a pool's status. Also
 * in paused pools: nothing is updated. Nodes are keys of their own, so that few are written at the same time, and a node that
 * cannot be written keeps no other waiting.
 */
import {
  annotations,
  formatSetNames,
  type MachineConfigPool,
  machineConfigPool as machineConfigPoolKind,
  type PinnedImageSet,
  pinnedImageSet as pinnedImageSetKind,
} from '../../api/index.ts';
import { jsonEqual } from '../../base/json.ts';
import {
  type Cache,
  type Controller,
  done,
  type Enqueue,
  isNotFound,
  type Next,
} from '../../kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../../kubernetes/types/index.ts';
import { pinnedSetsOfNode, pinnedSetsOfPool } from '../../rollout/index.ts';
import type { Context } from '../context.ts';
import { nodesOf } from '../node-cache.ts';

/** Writes at the same time. */
const WORKERS = 4;
/** Before the name of a node in a key; the name of a pool has no slash. */
const NODE_PREFIX = 'node/';

type SetSources = {
  readonly pools: Cache<MachineConfigPool>;
  readonly nodes: Cache<Node>;
  readonly sets: Cache<PinnedImageSet>;
};

export function createPinnedImageSetController(context: Context): Controller {
  const { caches } = context;
  const sources: SetSources = {
    pools: caches.of(machineConfigPoolKind),
    nodes: nodesOf(caches),
    sets: caches.of(pinnedImageSetKind),
  };
  return {
    name: 'pinned-image-set',
    workers: WORKERS,
    caches: Object.values(sources),
    watch: (enqueue) => watchSources(sources, enqueue),
    reconcile: (key) =>
      key.startsWith(NODE_PREFIX)
        ? syncNode(context, sources, key.slice(NODE_PREFIX.length))
        : syncPool(context, sources, key),
  };
}

function watchSources(sources: SetSources, enqueue: Enqueue): void {
  const { pools, nodes, sets } = sources;
  const enqueueNode = (node: Node) => {
    if (annotationChange(sources, node) !== undefined) enqueue(`${NODE_PREFIX}${node.metadata.name}`);
  };
  const enqueueNodes = () => {
    for (const node of nodes.all()) enqueueNode(node);
  };
  sets.onChange(() => {
    for (const { metadata } of pools.all()) enqueue(metadata.name);
    enqueueNodes();
  });
  pools.onChange(({ before, after }) => {
    if (before !== undefined && after !== undefined && selectsTheSame(before, after)) return;
    if (after !== undefined) enqueue(after.metadata.name);
    enqueueNodes();
  });
  nodes.onChange(({ after }) => {
    if (after !== undefined) enqueueNode(after);
  });
}

/** A pool's status changes with every node of a rollout, and its target with every rendering. */
function selectsTheSame(before: MachineConfigPool, after: MachineConfigPool): boolean {
  const relevant = ({ metadata, spec }: MachineConfigPool) => [
    metadata.uid,
    metadata.annotations?.[annotations.pinnedImageSetsProblem],
    spec.machineConfigSelector,
    spec.nodeSelector,
    spec.pinnedImageSets,
  ];
  return jsonEqual(relevant(before), relevant(after));
}

async function syncPool({ kube, env }: Context, { pools, sets }: SetSources, name: string): Promise<Next> {
  const pool = pools.get({ name });
  if (pool === undefined || pool.metadata.deletionTimestamp !== undefined) return done;
  const { names, problem } = pinnedSetsOfPool(pool, sets.all());
  const wanted = names.map((one) => ({ name: one }));
  const isSame =
    jsonEqual(pool.spec.pinnedImageSets ?? [], wanted) &&
    pool.metadata.annotations?.[annotations.pinnedImageSetsProblem] === problem;
  if (isSame) return done;
  const body = {
    // With its uid: a pool that was recreated under the same name may select others.
    metadata: {
      uid: pool.metadata.uid,
      annotations: { [annotations.pinnedImageSetsProblem]: problem ?? null },
    },
    spec: { pinnedImageSets: wanted.length === 0 ? null : wanted },
  };
  await ifItExists(name, () => kube.patch(machineConfigPoolKind, { name }, { type: 'merge', body }));
  env.log.info('pinned image sets of a pool changed', { pool: name, sets: names.join(',') });
  return done;
}

async function syncNode({ kube }: Context, sources: SetSources, name: string): Promise<Next> {
  const node = sources.nodes.get({ name });
  const change = node === undefined ? undefined : annotationChange(sources, node);
  if (change === undefined) return done;
  const body = { metadata: { annotations: { [annotations.pinnedImageSets]: change.value } } };
  await ifItExists(name, () => kube.patch(nodeKind, { name }, { type: 'merge', body }));
  return done;
}

/** Undefined where the annotation is right; `null` removes it. */
function annotationChange(
  { pools, sets }: SetSources,
  node: Node,
): { readonly value: string | null } | undefined {
  const value = formatSetNames(pinnedSetsOfNode(node, pools.all(), [...sets.all()]));
  return node.metadata.annotations?.[annotations.pinnedImageSets] === value
    ? undefined
    : { value: value ?? null };
}

async function ifItExists(name: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isNotFound(error, name)) throw error;
  }
}
