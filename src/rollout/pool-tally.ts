/**
 * A pool as the sum of its nodes, updated node by node.
 *
 *     tally.replace(node, machineConfigNode)     a node was added or has changed
 *     tally.remove(name)                         a node was removed
 *     tally.retarget(target)                     the pool has another target: every node is evaluated again
 *
 * A change costs one contribution and at most a binary search among the candidates, however large the pool is.
 * `poolStatus`, `selectCandidates` and the taints all read the same tally, so they cannot disagree. It is derived:
 * computed from the same nodes it is always the same.
 */

import type { MachineConfigNode } from '../api/index.ts';
import { compareBytes } from '../base/json.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import type { Availability } from './candidates.ts';
import { type Contribution, contributionOf, isSameContribution } from './contribution.ts';
import { isSamePinnedSets, NO_PINNED_SETS, type PinnedSets } from './pinned/pinned-image-sets.ts';
import { isSameTarget, type PoolTarget } from './pool-target.ts';
import { SortedList } from './sorted-list.ts';
import { compareForTargeting } from './target-order.ts';

export type PoolCounts = {
  readonly machineCount: number;
  readonly updatedMachineCount: number;
  readonly readyMachineCount: number;
  readonly unavailableMachineCount: number;
  readonly degradedMachineCount: number;
  /** Nodes that have all images of their PinnedImageSets. */
  readonly pinnedMachineCount: number;
  /** Nodes whose daemon has not reported yet; not part of the status. */
  readonly joiningMachineCount: number;
};

/** The input of the status of a pool. */
export type PoolSum = {
  readonly target: PoolTarget;
  readonly counts: PoolCounts;
  /** The degraded nodes, by name. */
  readonly degraded: readonly Contribution[];
};

type Entry = { readonly contribution: Contribution; readonly machineConfigNode?: MachineConfigNode };

/** The tally of nodes in any order. */
export function tallyOf(
  target: PoolTarget,
  nodes: Iterable<Node>,
  machineConfigNodeOf: (name: string) => MachineConfigNode | undefined = () => undefined,
): PoolTally {
  const tally = new PoolTally(target);
  for (const node of nodes) tally.replace(node, machineConfigNodeOf(nameOf(node)));
  return tally;
}

export class PoolTally implements PoolSum {
  #target: PoolTarget;
  #pinnedSets: PinnedSets = NO_PINNED_SETS;
  readonly #entries = new Map<string, Entry>();
  readonly #candidates = new SortedList(inTargetOrder);
  readonly #retryable = new SortedList(inTargetOrder);
  readonly #degraded = new SortedList(byName);
  readonly #staleTaints = new Set<string>();
  readonly #fetching = new SortedList(byName);
  #failing = 0;
  #joining = 0;
  #updated = 0;
  #ready = 0;
  #unavailable = 0;
  #pinned = 0;

  constructor(target: PoolTarget) {
    this.#target = target;
  }

  get target(): PoolTarget {
    return this.#target;
  }

  get counts(): PoolCounts {
    return {
      machineCount: this.#entries.size,
      updatedMachineCount: this.#updated,
      readyMachineCount: this.#ready,
      unavailableMachineCount: this.#unavailable,
      degradedMachineCount: this.#degraded.size,
      pinnedMachineCount: this.#pinned,
      joiningMachineCount: this.#joining,
    };
  }

  get availability(): Availability {
    return {
      unavailable: this.#unavailable,
      failing: this.#failing,
      retryable: this.#retryable,
      candidates: this.#candidates,
    };
  }

  get degraded(): readonly Contribution[] {
    return [...this.#degraded];
  }

  /** The names of nodes whose taints have to be written, in any order. */
  get staleTaints(): Iterable<string> {
    return this.#staleTaints;
  }

  /** The nodes that were asked to download an OS image ahead of their update, by name. */
  get fetching(): Iterable<Contribution> {
    return this.#fetching;
  }

  contribution(name: string): Contribution | undefined {
    return this.#entries.get(name)?.contribution;
  }

  /** False where the change does not affect the pool, such as a heartbeat. */
  replace(node: Node, machineConfigNode?: MachineConfigNode): boolean {
    const contribution = contributionOf(node, this.#target, machineConfigNode, this.#pinnedSets);
    const before = this.#entries.get(contribution.name)?.contribution;
    if (before !== undefined) this.#forget(before);
    this.#entries.set(contribution.name, {
      contribution,
      ...(machineConfigNode === undefined ? {} : { machineConfigNode }),
    });
    this.#count(contribution, 1);
    this.#listFor(contribution)?.add(contribution);
    if (contribution.isDegraded) this.#degraded.add(contribution);
    if (contribution.fetchImage !== '') this.#fetching.add(contribution);
    return before === undefined || !isSameContribution(before, contribution);
  }

  /** True where the node was in the pool. */
  remove(name: string): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined) return false;
    this.#entries.delete(name);
    this.#forget(entry.contribution);
    return true;
  }

  retarget(target: PoolTarget): boolean {
    if (isSameTarget(target, this.#target)) return false;
    this.#target = target;
    this.#replaceAll();
    return true;
  }

  /** The pool has other PinnedImageSets, or one of them has changed. */
  repin(pinnedSets: PinnedSets): void {
    if (isSamePinnedSets(pinnedSets, this.#pinnedSets)) return;
    this.#pinnedSets = pinnedSets;
    this.#replaceAll();
  }

  #replaceAll(): void {
    for (const { contribution, machineConfigNode } of [...this.#entries.values()]) {
      this.replace(contribution.node, machineConfigNode);
    }
  }

  #forget(contribution: Contribution): void {
    this.#count(contribution, -1);
    this.#listFor(contribution)?.delete(contribution);
    if (contribution.isDegraded) this.#degraded.delete(contribution);
    if (contribution.fetchImage !== '') this.#fetching.delete(contribution);
  }

  #count(contribution: Contribution, by: 1 | -1): void {
    if (contribution.isJoining) this.#joining += by;
    if (contribution.isUpdated) this.#updated += by;
    if (contribution.isReady) this.#ready += by;
    if (contribution.isUnavailable) this.#unavailable += by;
    if (contribution.isPinned) this.#pinned += by;
    if (contribution.part === 'failing') this.#failing += by;
    if (contribution.hasStaleTaint && by === 1) this.#staleTaints.add(contribution.name);
    if (by === -1) this.#staleTaints.delete(contribution.name);
  }

  #listFor({ part }: Contribution): SortedList<Contribution> | undefined {
    if (part === 'candidate') return this.#candidates;
    return part === 'retryable' ? this.#retryable : undefined;
  }
}

function inTargetOrder(a: Contribution, b: Contribution): number {
  return compareForTargeting(a.order, b.order);
}

function byName(a: Contribution, b: Contribution): number {
  return compareBytes(a.name, b.name);
}
