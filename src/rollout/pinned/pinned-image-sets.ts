/**
 * Which PinnedImageSets apply to a pool and to a node, and whether a node has them all.
 *
 * A pool selects sets by their labels, like MachineConfigs. A node has those of the pools that select it: of its own pool first,
 * then of `worker` for one in a custom pool. It learns their names from its annotation; what they contain it reads itself.
 */
import {
  annotations,
  MAX_PINNED_IMAGE_SETS,
  type MachineConfigNode,
  type MachineConfigPool,
  type PinnedImageSet,
  parseSetNames,
} from '../../api/index.ts';
import { compareBytes, jsonEqual } from '../../base/json.ts';
import { numberAt, objectsAt, stringAt } from '../../base/json-fields.ts';
import { parseTimestamp } from '../../base/text/index.ts';
import {
  annotationOf,
  isEmptySelector,
  labelsOf,
  matchesSelector,
  nameOf,
  selectorProblems,
} from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { membershipOf } from '../membership.ts';

type PoolSets = {
  /** Sorted. */
  readonly names: readonly string[];
  /** Why not all of them are used. */
  readonly problem?: string;
};

export function pinnedSetsOfPool(pool: MachineConfigPool, sets: Iterable<PinnedImageSet>): PoolSets {
  const selector = pool.spec?.machineConfigSelector;
  // An empty selector would select all of them; for MachineConfigs it is an error, which the pool reports.
  if (selector === undefined || isEmptySelector(selector) || selectorProblems(selector, '').length > 0) {
    return { names: [] };
  }
  const names = [...sets]
    .filter((set) => set.metadata.deletionTimestamp === undefined && matchesSelector(selector, labelsOf(set)))
    .map(nameOf)
    .sort(compareBytes);
  if (names.length <= MAX_PINNED_IMAGE_SETS) return { names };
  const limit = MAX_PINNED_IMAGE_SETS;
  const problem = `Failed to populate pinned image sets for pool ${nameOf(pool)}: it selects ${names.length} PinnedImageSets, and a pool can have ${limit}: the last ${names.length - limit} by name are not used`;
  return { names: names.slice(0, limit), problem };
}

/** The names for the annotation of a node. */
export function pinnedSetsOfNode(
  node: Node,
  pools: Iterable<MachineConfigPool>,
  sets: readonly PinnedImageSet[],
): readonly string[] {
  const membership = membershipOf(node, pools);
  if (membership.kind !== 'member') return [];
  const all = [membership.primary, ...membership.also].flatMap((pool) => pinnedSetsOfPool(pool, sets).names);
  return [...new Set(all)].slice(0, MAX_PINNED_IMAGE_SETS);
}

/** A set as it is now. */
type PresentSet = { readonly generation: number; readonly createdMs: number };

/** What the nodes of a pool should have: its sets, and all sets by name. */
export type PinnedSets = {
  readonly ofPool: readonly string[];
  readonly present: ReadonlyMap<string, PresentSet>;
};

export const NO_PINNED_SETS: PinnedSets = { ofPool: [], present: new Map() };

/** Those that the pool lists, and those that it selects: a new set is in its list a moment later. */
export function requiredSets(pool: MachineConfigPool, sets: readonly PinnedImageSet[]): PinnedSets {
  const listed = objectsAt(pool.spec, 'pinnedImageSets').map((one) => stringAt(one, 'name'));
  const present = sets.map(({ metadata: { name, generation = 1, creationTimestamp = '' } }) => {
    return [name, { generation, createdMs: parseTimestamp(creationTimestamp) ?? 0 }] as const;
  });
  return {
    ofPool: [...new Set([...listed, ...pinnedSetsOfPool(pool, sets).names])].toSorted(compareBytes),
    present: new Map(present.toSorted(([a], [b]) => compareBytes(a, b))),
  };
}

/**
 * Whether a node reports to have all sets of its pools as they are now: a report of an earlier generation is none, and so is one of
 * a node that has been down since before the set was created, which is about another set of that name. A set that was deleted is of
 * no pool.
 */
export function hasAllSets(
  node: Node,
  machineConfigNode: MachineConfigNode | undefined,
  { ofPool, present }: PinnedSets,
): boolean {
  if (machineConfigNode === undefined) return false;
  const assigned = parseSetNames(annotationOf(node, annotations.pinnedImageSets));
  const reported = objectsAt(machineConfigNode.status, 'pinnedImageSets');
  const downMs = downSinceMs(node);
  return [...ofPool, ...assigned].every((name) => {
    const set = present.get(name);
    if (set === undefined) return true;
    const entry = reported.find((one) => stringAt(one, 'name') === name);
    return (
      numberAt(entry, 'currentGeneration') === set.generation &&
      numberAt(entry, 'desiredGeneration') === set.generation &&
      (downMs === undefined || downMs >= set.createdMs)
    );
  });
}

/** Undefined for a node that is ready. */
function downSinceMs({ status }: Node): number | undefined {
  const ready = objectsAt(status, 'conditions').find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'True') return undefined;
  return parseTimestamp(stringAt(ready, 'lastTransitionTime'));
}

export function isSamePinnedSets(a: PinnedSets, b: PinnedSets): boolean {
  return jsonEqual([a.ofPool, [...a.present]], [b.ofPool, [...b.present]]);
}
