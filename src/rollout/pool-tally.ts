/**
 * A pool as the sum of its nodes, kept up to date node by node.
 *
 *     tally.replace(node, machineConfigNode)     one node came or changed
 *     tally.remove(name)                         one node left
 *     tally.retarget(target)                     the pool wants something else: every node is looked at again
 *
 * One change costs one contribution and, at most, a binary search among the candidates, however large the pool is.
 * Reading costs what is read. `poolStatus`, `selectCandidates` and the taints all draw on the same tally, so they cannot
 * disagree. It is a cache: made anew from the same nodes it is the same.
 */

import type { MachineConfigNode } from '../api/index.ts';
import { compareBytes } from '../base/json.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import type { Standing } from './candidates.ts';
import { type Contribution, contributionOf, isSameContribution } from './contribution.ts';
import { isSameTarget, type PoolTarget } from './pool-target.ts';
import { SortedList } from './sorted-list.ts';
import { compareForTargeting } from './target-order.ts';

export type PoolCounts = {
  readonly machineCount: number;
  readonly updatedMachineCount: number;
  readonly readyMachineCount: number;
  readonly unavailableMachineCount: number;
  readonly degradedMachineCount: number;
  /** Nodes that have all images that are pinned for them. */
  readonly pinnedMachineCount: number;
};

/** What the status of a pool is made from. */
export type PoolSum = {
  readonly target: PoolTarget;
  readonly counts: PoolCounts;
  /** The nodes whose daemons complain, by name. */
  readonly degraded: readonly Contribution[];
};

type Entry = { readonly contribution: Contribution; readonly machineConfigNode?: MachineConfigNode };

/** The whole sum at once, of nodes in any order. */
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
  readonly #entries = new Map<string, Entry>();
  readonly #candidates = new SortedList(inTargetOrder);
  readonly #inOwnSlot = new SortedList(inTargetOrder);
  readonly #degraded = new SortedList(byName);
  readonly #staleTaints = new Set<string>();
  #failing = 0;
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
    };
  }

  get standing(): Standing {
    return {
      unavailable: this.#unavailable,
      failing: this.#failing,
      inOwnSlot: this.#inOwnSlot,
      candidates: this.#candidates,
    };
  }

  get degraded(): readonly Contribution[] {
    return [...this.#degraded];
  }

  /** The names of nodes whose taints have to be written, in no order. */
  get staleTaints(): Iterable<string> {
    return this.#staleTaints;
  }

  contribution(name: string): Contribution | undefined {
    return this.#entries.get(name)?.contribution;
  }

  /** True where the change matters to the pool; false for heartbeats and the like. */
  replace(node: Node, machineConfigNode?: MachineConfigNode): boolean {
    const contribution = contributionOf(node, this.#target, machineConfigNode);
    const before = this.#entries.get(contribution.name)?.contribution;
    if (before !== undefined) this.#forget(before);
    this.#entries.set(contribution.name, {
      contribution,
      ...(machineConfigNode === undefined ? {} : { machineConfigNode }),
    });
    this.#count(contribution, 1);
    this.#listFor(contribution)?.add(contribution);
    if (contribution.isDegraded) this.#degraded.add(contribution);
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
    for (const { contribution, machineConfigNode } of [...this.#entries.values()]) {
      this.replace(contribution.node, machineConfigNode);
    }
    return true;
  }

  #forget(contribution: Contribution): void {
    this.#count(contribution, -1);
    this.#listFor(contribution)?.delete(contribution);
    if (contribution.isDegraded) this.#degraded.delete(contribution);
  }

  #count(contribution: Contribution, by: 1 | -1): void {
    if (contribution.isUpdated) this.#updated += by;
    if (contribution.isReady) this.#ready += by;
    if (contribution.isUnavailable) this.#unavailable += by;
    if (contribution.hasPinnedImages) this.#pinned += by;
    if (contribution.part === 'failing') this.#failing += by;
    if (contribution.hasStaleTaint && by === 1) this.#staleTaints.add(contribution.name);
    if (by === -1) this.#staleTaints.delete(contribution.name);
  }

  #listFor({ part }: Contribution): SortedList<Contribution> | undefined {
    if (part === 'candidate') return this.#candidates;
    return part === 'in-own-slot' ? this.#inOwnSlot : undefined;
  }
}

function inTargetOrder(a: Contribution, b: Contribution): number {
  return compareForTargeting(a.order, b.order);
}

function byName(a: Contribution, b: Contribution): number {
  return compareBytes(a.name, b.name);
}
