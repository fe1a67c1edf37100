/**
 * Which nodes are in which pool, and what they add up to. It follows the changes of the caches, event by event.
 *
 * Each event handler returns the keys that have to be reconciled: pools, and unassigned nodes (`UNASSIGNED_PREFIX`), which
 * are in no pool although they should be.
 *
 * Nodes and MachineConfigNodes that we wrote count from the moment the server confirmed the write, also while the caches
 * still show older versions (`OwnWrites`). Where a write got no answer, the server has to be asked (`confirmWrites`).
 */

import type { MachineConfigNode, MachineConfigPool } from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { type Cache, type Change, type Kube, OwnWrites } from '../kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../kubernetes/types/index.ts';
import { type Membership, membershipOf, PoolTally, targetOf } from '../rollout/index.ts';
import { type ImageGate, isRecordStale } from './node-record.ts';

type PoolIndexSources = {
  readonly pools: Cache<MachineConfigPool>;
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
};

/** Before the name of an unassigned node in a key; the name of a pool has no slash. */
export const UNASSIGNED_PREFIX = 'node/';

export class PoolIndex {
  readonly #sources: PoolIndexSources;
  readonly #gate: ImageGate;
  readonly #nodes: OwnWrites<Node>;
  readonly #machineConfigNodes: OwnWrites<MachineConfigNode>;
  readonly #tallies = new Map<string, PoolTally>();
  readonly #poolOf = new Map<string, string>();
  /** Nodes of the control plane that a custom pool selects too, without effect. */
  readonly #overlapping = new Set<string>();
  /** By pool: nodes whose MachineConfigNode does not have the node's desired config. */
  readonly #staleRecords = new Map<string, Set<string>>();
  /** By unassigned node: why it is in no pool. */
  readonly #unassigned = new Map<string, string>();

  constructor(sources: PoolIndexSources, gate: ImageGate) {
    this.#sources = sources;
    this.#gate = gate;
    this.#nodes = new OwnWrites(sources.nodes);
    this.#machineConfigNodes = new OwnWrites(sources.machineConfigNodes);
  }

  tally(pool: string): PoolTally | undefined {
    return this.#tallies.get(pool);
  }

  node(name: string): Node | undefined {
    return this.#nodes.get({ name });
  }

  machineConfigNode(name: string): MachineConfigNode | undefined {
    return this.#machineConfigNodes.get({ name });
  }

  poolOf(node: string): string | undefined {
    return this.#poolOf.get(node);
  }

  /** Node and pool of every node that is in one. */
  members(): Iterable<readonly [node: string, pool: string]> {
    return this.#poolOf;
  }

  overlapping(): Iterable<string> {
    return this.#overlapping;
  }

  staleRecords(pool: string): Iterable<string> {
    return this.#staleRecords.get(pool) ?? [];
  }

  onPool({ before, after }: Change<MachineConfigPool>): ReadonlySet<string> {
    const touched = new Set<string>();
    const name = (after ?? before)?.metadata.name ?? '';
    if (after === undefined) this.#tallies.delete(name);
    else {
      // Also if only its status has changed: ours may have been computed from an older one.
      touched.add(name);
      if (!this.#tallies.has(name)) this.#tallies.set(name, new PoolTally(targetOf(after)));
    }
    const selectsTheSame =
      before !== undefined &&
      after !== undefined &&
      jsonEqual(before.spec.nodeSelector, after.spec.nodeSelector);
    if (selectsTheSame) return touched;
    for (const { metadata } of this.#sources.nodes.all()) {
      const node = this.node(metadata.name);
      if (node !== undefined) for (const key of this.#upsert(node)) touched.add(key);
    }
    if (after === undefined) this.#staleRecords.delete(name);
    return touched;
  }

  onNode({ before, after }: Change<Node>): ReadonlySet<string> {
    if (after === undefined) return this.#remove(before?.metadata.name ?? '');
    return this.#nodes.isPending(after.metadata, after.metadata.uid) ? new Set() : this.#upsert(after);
  }

  onMachineConfigNode({ before, after }: Change<MachineConfigNode>): ReadonlySet<string> {
    const name = (after ?? before)?.metadata.name ?? '';
    if (this.#machineConfigNodes.isPending({ name }, after?.metadata.uid)) return new Set();
    const node = this.node(name);
    return node === undefined ? new Set() : this.#upsert(node);
  }

  /** The node as the server returned it after a write of ours. */
  recordNode(node: Node): void {
    if (this.#nodes.record(node)) this.#upsert(node);
  }

  /** The MachineConfigNode as the server returned it. */
  recordMachineConfigNode(machineConfigNode: MachineConfigNode): void {
    if (!this.#machineConfigNodes.record(machineConfigNode)) return;
    const node = this.node(machineConfigNode.metadata.name);
    if (node !== undefined) this.#upsert(node);
  }

  /** A write of the node got no answer: it may have happened or not. */
  markUnconfirmed(name: string): void {
    this.#nodes.markUnconfirmed({ name });
  }

  /** Reads nodes whose writes got no answer. To be called before more nodes are chosen. */
  async confirmWrites(kube: Pick<Kube, 'get'>): Promise<void> {
    await this.#nodes.confirm(
      (place) => kube.get(nodeKind, place),
      (node) => this.#upsert(node),
    );
  }

  #upsert(node: Node): ReadonlySet<string> {
    const { name } = node.metadata;
    const membership = membershipOf(node, this.#sources.pools.all());
    const pool = membership.kind === 'member' ? membership.primary.metadata.name : undefined;
    if (membership.kind === 'member' && membership.ignored !== undefined) this.#overlapping.add(name);
    else this.#overlapping.delete(name);
    const touched = new Set<string>();
    if (this.#noteUnassigned(name, membership)) touched.add(`${UNASSIGNED_PREFIX}${name}`);
    const before = this.#poolOf.get(name);
    if (before !== undefined && before !== pool) {
      this.#leave(name, before);
      touched.add(before);
    }
    if (pool === undefined) return touched;
    this.#poolOf.set(name, pool);
    const record = this.machineConfigNode(name);
    if (this.#tallies.get(pool)?.replace(node, record) === true) touched.add(pool);
    if (this.#noteRecord(pool, node, record)) touched.add(pool);
    return touched;
  }

  #remove(name: string): ReadonlySet<string> {
    this.#unassigned.delete(name);
    this.#overlapping.delete(name);
    const pool = this.#poolOf.get(name);
    if (pool === undefined) return new Set();
    this.#leave(name, pool);
    return new Set([pool]);
  }

  #leave(name: string, pool: string): void {
    this.#poolOf.delete(name);
    this.#tallies.get(pool)?.remove(name);
    this.#staleRecords.get(pool)?.delete(name);
  }

  /** True where there is something new to report. */
  #noteUnassigned(name: string, membership: Membership): boolean {
    const message =
      membership.kind === 'conflict' || membership.kind === 'none' ? membership.message : undefined;
    if (message === this.#unassigned.get(name)) return false;
    if (message === undefined) this.#unassigned.delete(name);
    else this.#unassigned.set(name, message);
    return message !== undefined;
  }

  /** True where the MachineConfigNode has to be written. */
  #noteRecord(pool: string, node: Node, record: MachineConfigNode | undefined): boolean {
    const stale = this.#staleRecords.get(pool) ?? new Set<string>();
    this.#staleRecords.set(pool, stale);
    const isStale = record !== undefined && isRecordStale(node, record, this.#gate);
    if (isStale) stale.add(node.metadata.name);
    else stale.delete(node.metadata.name);
    return isStale;
  }
}
