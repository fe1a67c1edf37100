/**
 * The scheduler cache: the resource usage of every node, updated incrementally.
 *
 * A pod that was just bound is counted at once (`assume`), before the watch shows it; terminated pods are not counted.
 */

import { jsonEqual } from '../../../base/json.ts';
import type { Change } from '../../../kubernetes/client/index.ts';
import type { Node, Pod } from '../../../kubernetes/types/index.ts';
import { keyOf } from '../object-keys.ts';
import { hasEnded } from '../workloads/pod-state.ts';
import { isSameNodeInfo, type NodeInfo, type NodeUsage, nodeInfoOf } from './node-info.ts';
import { PodGroups } from './pod-groups.ts';
import { type PodInfo, podInfoOf, schedulingKey } from './pod-info.ts';

type Placed = {
  readonly podInfo: PodInfo;
  readonly node: string;
  /** Terminating: it still uses resources, but does not count for spreading. */
  readonly isTerminating: boolean;
  /** Bound by this scheduler, and not observed yet. */
  readonly isAssumed: boolean;
};

export class SchedulerCache {
  readonly groups = new PodGroups();
  readonly #views = new Map<string, NodeInfo>();
  /** Includes unknown nodes with bound pods. */
  readonly #usages = new Map<string, NodeUsage>();
  readonly #placed = new Map<string, Placed>();
  #nodes: readonly NodeInfo[] | undefined;
  #gains = 0;
  #changes = 0;

  /** Increases whenever an unschedulable pod may fit now. */
  get gains(): number {
    return this.#gains;
  }

  /** Increases with every change, for pods with pod affinity. */
  get changes(): number {
    return this.#changes;
  }

  nodes(): readonly NodeInfo[] {
    this.#nodes ??= [...this.#views.values()];
    return this.#nodes;
  }

  node(name: string): NodeInfo | undefined {
    return this.#views.get(name);
  }

  observeNode({ before, after }: Change<Node>): void {
    const name = (after ?? before)?.metadata.name;
    if (name === undefined) return;
    const usage = this.#usage(name);
    const view = after === undefined ? undefined : nodeInfoOf(after, usage);
    if (!isSameNodeInfo(this.node(name), view)) {
      if (view === undefined) this.#views.delete(name);
      else this.#views.set(name, view);
      this.#nodes = undefined;
      this.#changed({ isGain: view !== undefined });
    }
    this.#dropEmpty(name, usage);
  }

  observePod({ before, after }: Change<Pod>): void {
    const pod = after ?? before;
    if (pod === undefined || isSamePlacement(before, after)) return;
    const key = keyOf(pod);
    const placed = this.#placed.get(key);
    const now = after === undefined ? undefined : placementOf(after);
    // The binding may not be observed yet.
    if (now === 'unbound' && placed?.isAssumed === true && placed.podInfo.uid === pod.metadata.uid) return;
    if (now === undefined || now === 'unbound') {
      if (placed !== undefined) this.#take(key, placed, { isGain: true });
      return;
    }
    const podInfo = podInfoOf(pod);
    const isGain = placed?.node !== now.node || schedulingKey(placed.podInfo) !== schedulingKey(podInfo);
    if (placed !== undefined) this.#take(key, placed, { isGain });
    this.#put(key, { ...now, podInfo });
  }

  assume(podInfo: PodInfo, node: string): void {
    this.forget(podInfo);
    this.#put(podInfo.key, { podInfo, node, isTerminating: false, isAssumed: true });
  }

  /** The node of an assumed pod. */
  assumedNode({ key, uid }: PodInfo): string | undefined {
    const placed = this.#placed.get(key);
    return placed?.isAssumed === true && placed.podInfo.uid === uid ? placed.node : undefined;
  }

  /** Reverts `assume`. */
  forget(podInfo: PodInfo): void {
    const placed = this.#placed.get(podInfo.key);
    if (placed === undefined || this.assumedNode(podInfo) === undefined) return;
    this.#take(podInfo.key, placed, { isGain: true });
  }

  #put(key: string, placed: Placed): void {
    this.#count(placed, 1);
    this.#placed.set(key, placed);
    this.#changed({ isGain: false });
  }

  #take(key: string, placed: Placed, gain: { readonly isGain: boolean }): void {
    this.#dropEmpty(placed.node, this.#count(placed, -1));
    this.#placed.delete(key);
    this.#changed(gain);
  }

  #count({ podInfo, node, isTerminating }: Placed, by: 1 | -1): NodeUsage {
    const usage = this.#usage(node);
    usage.pods += by;
    for (const [resource, amount] of podInfo.requests) add(usage.used, resource, by * amount);
    usage.cpuLoad += by * podInfo.cpuLoad;
    usage.memoryLoad += by * podInfo.memoryLoad;
    this.groups.count(podInfo, { node, isSpread: !isTerminating, by });
    return usage;
  }

  #usage(node: string): NodeUsage {
    const known = this.#usages.get(node);
    if (known !== undefined) return known;
    const usage: NodeUsage = { used: new Map(), pods: 0, cpuLoad: 0, memoryLoad: 0 };
    this.#usages.set(node, usage);
    return usage;
  }

  #dropEmpty(node: string, { pods }: NodeUsage): void {
    if (pods === 0 && !this.#views.has(node)) this.#usages.delete(node);
  }

  #changed({ isGain }: { readonly isGain: boolean }): void {
    this.#changes += 1;
    if (isGain) this.#gains += 1;
  }
}

/** The placement of a pod; undefined if it has terminated or will never be bound. */
function placementOf(pod: Pod): Omit<Placed, 'podInfo'> | 'unbound' | undefined {
  const { nodeName: node = '' } = pod.spec;
  const isTerminating = pod.metadata.deletionTimestamp !== undefined;
  if (hasEnded(pod) || (node === '' && isTerminating)) return undefined;
  return node === '' ? 'unbound' : { node, isTerminating, isAssumed: false };
}

/** Ignores status changes, which are most changes. The generation changes with the spec. */
function isSamePlacement(before: Pod | undefined, after: Pod | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  const { metadata: was } = before;
  const { metadata: is } = after;
  return (
    was.uid === is.uid &&
    was.generation === is.generation &&
    before.spec.nodeName === after.spec.nodeName &&
    hasEnded(before) === hasEnded(after) &&
    (was.deletionTimestamp === undefined) === (is.deletionTimestamp === undefined) &&
    jsonEqual([was.labels, was.ownerReferences], [is.labels, is.ownerReferences])
  );
}

function add(to: Map<string, number>, resource: string, amount: number): void {
  to.set(resource, (to.get(resource) ?? 0) + amount);
}
