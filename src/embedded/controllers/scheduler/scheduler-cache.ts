/**
 * What is on every node, kept up to date change by change: no pod that is scheduled makes anybody count all others.
 *
 * A pod that was just put on a node is counted there at once (`assume`), long before the cache shows it; a pod that has
 * ended is not counted any more.
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
  /** It still takes its place, but whoever spreads pods does not count it. */
  readonly isLeaving: boolean;
  /** Put there by ourselves, and not seen there yet. */
  readonly isAssumed: boolean;
};

export class SchedulerCache {
  readonly groups = new PodGroups();
  readonly #views = new Map<string, NodeInfo>();
  /** Also of nodes that nobody knows, where pods are bound to them. */
  readonly #tallies = new Map<string, NodeUsage>();
  readonly #placed = new Map<string, Placed>();
  #nodes: readonly NodeInfo[] | undefined;
  #gains = 0;
  #changes = 0;

  /** Moves whenever a pod that fitted nowhere may fit now. */
  get gains(): number {
    return this.#gains;
  }

  /** Moves whenever anything has changed: for pods that want others near them. */
  get changes(): number {
    return this.#changes;
  }

  /** The nodes that there are. */
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
    if (pod === undefined || isSamePlace(before, after)) return;
    const key = keyOf(pod);
    const placed = this.#placed.get(key);
    const now = after === undefined ? undefined : placeNow(after);
    // The cache may not have heard yet of what we have done.
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
    this.#put(podInfo.key, { podInfo, node, isLeaving: false, isAssumed: true });
  }

  /** Where we have put it ourselves, and nobody has seen it yet. */
  assumedNode({ key, uid }: PodInfo): string | undefined {
    const placed = this.#placed.get(key);
    return placed?.isAssumed === true && placed.podInfo.uid === uid ? placed.node : undefined;
  }

  /** What was assumed did not come true. */
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

  #count({ podInfo, node, isLeaving }: Placed, by: 1 | -1): NodeUsage {
    const usage = this.#usage(node);
    usage.pods += by;
    for (const [resource, amount] of podInfo.requests) add(usage.used, resource, by * amount);
    usage.cpuLoad += by * podInfo.cpuLoad;
    usage.memoryLoad += by * podInfo.memoryLoad;
    this.groups.count(podInfo, { node, isSpread: !isLeaving, by });
    return usage;
  }

  #usage(node: string): NodeUsage {
    const known = this.#tallies.get(node);
    if (known !== undefined) return known;
    const usage: NodeUsage = { used: new Map(), pods: 0, cpuLoad: 0, memoryLoad: 0 };
    this.#tallies.set(node, usage);
    return usage;
  }

  #dropEmpty(node: string, { pods }: NodeUsage): void {
    if (pods === 0 && !this.#views.has(node)) this.#tallies.delete(node);
  }

  #changed({ isGain }: { readonly isGain: boolean }): void {
    this.#changes += 1;
    if (isGain) this.#gains += 1;
  }
}

/** Where the pod takes its place; undefined once it has ended, or will never have one. */
function placeNow(pod: Pod): Omit<Placed, 'podInfo'> | 'unbound' | undefined {
  const { nodeName: node = '' } = pod.spec;
  const isLeaving = pod.metadata.deletionTimestamp !== undefined;
  if (hasEnded(pod) || (node === '' && isLeaving)) return undefined;
  return node === '' ? 'unbound' : { node, isLeaving, isAssumed: false };
}

/** Most changes of a pod are its status, which does not matter here. The generation moves with the spec. */
function isSamePlace(before: Pod | undefined, after: Pod | undefined): boolean {
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
