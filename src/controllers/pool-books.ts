/**
 * Which nodes are in which pool, and what they add up to: kept from the changes of the caches, event by event.
 *
 * Each method says which keys have to be looked at again: pools, and nodes that are in none although they should be.
 *
 * Beside the caches the books know what we have written and the caches may not show yet (`onSent`, `onRecorded`): news
 * that are older than that are not believed. Where a write got no answer, nobody knows what the node was told (`onDoubt`)
 * until the server is asked.
 */
import type { MachineConfigNode, MachineConfigPool } from '../api/index.ts';
import { annotations } from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import type { AnyObject, Cache, Change } from '../kubernetes/client/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { type Membership, membershipOf, PoolTally, targetOf } from '../rollout/index.ts';
import { isRecordStale } from './node-record.ts';

type BookSources = {
  readonly pools: Cache<MachineConfigPool>;
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
};

/** The key under which a node that is in no pool is looked at; no pool has a slash in its name. */
export const STRAY_PREFIX = 'node/';

export class PoolBooks {
  readonly #sources: BookSources;
  readonly #tallies = new Map<string, PoolTally>();
  readonly #poolOf = new Map<string, string>();
  /** What we wrote on nodes and MachineConfigNodes, and have not seen come back. */
  readonly #sent = new Map<string, Node>();
  readonly #recorded = new Map<string, MachineConfigNode>();
  readonly #doubts = new Set<string>();
  /** By pool: nodes whose MachineConfigNode does not say where they were sent. */
  readonly #staleRecords = new Map<string, Set<string>>();
  /** Why a node is in no pool. */
  readonly #strays = new Map<string, string>();

  constructor(sources: BookSources) {
    this.#sources = sources;
  }

  tally(pool: string): PoolTally | undefined {
    return this.#tallies.get(pool);
  }

  node(name: string): Node | undefined {
    return this.#sent.get(name) ?? this.#sources.nodes.get({ name });
  }

  machineConfigNode(name: string): MachineConfigNode | undefined {
    return this.#recorded.get(name) ?? this.#sources.machineConfigNodes.get({ name });
  }

  staleRecords(pool: string): Iterable<string> {
    return this.#staleRecords.get(pool) ?? [];
  }

  /** Nodes of which the server has to be asked what they were told, before anybody else is sent. */
  doubts(): readonly string[] {
    return [...this.#doubts];
  }

  onPool({ before, after }: Change<MachineConfigPool>): ReadonlySet<string> {
    const touched = new Set<string>();
    const name = (after ?? before)?.metadata.name ?? '';
    if (after === undefined) this.#tallies.delete(name);
    else {
      // Its status too: what we computed from an older one has to be looked at again.
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
      if (node !== undefined) for (const key of this.#file(node)) touched.add(key);
    }
    if (after === undefined) this.#staleRecords.delete(name);
    return touched;
  }

  onNode({ before, after }: Change<Node>): ReadonlySet<string> {
    if (after === undefined) return this.#strike(before?.metadata.name ?? '');
    const sent = this.#sent.get(after.metadata.name);
    if (sent !== undefined && isOlder(after, sent, desiredOf)) return new Set();
    this.#sent.delete(after.metadata.name);
    return this.#file(after);
  }

  onMachineConfigNode({ before, after }: Change<MachineConfigNode>): ReadonlySet<string> {
    const name = (after ?? before)?.metadata.name ?? '';
    const recorded = this.#recorded.get(name);
    if (after !== undefined && recorded !== undefined && isOlder(after, recorded, recordedDesire))
      return new Set();
    this.#recorded.delete(name);
    const node = this.node(name);
    return node === undefined ? new Set() : this.#file(node);
  }

  /** The node as the server gave it back after a write of ours, or when it was asked. */
  onSent(node: Node): void {
    const { name } = node.metadata;
    this.#doubts.delete(name);
    const known = this.#sources.nodes.get({ name });
    // The cache may have been faster.
    if (known !== undefined && !isOlder(known, node, desiredOf)) return;
    this.#sent.set(name, node);
    this.#file(node);
  }

  /** The MachineConfigNode as the server gave it back. */
  onRecorded(machineConfigNode: MachineConfigNode): void {
    const { name } = machineConfigNode.metadata;
    const known = this.#sources.machineConfigNodes.get({ name });
    if (known !== undefined && !isOlder(known, machineConfigNode, recordedDesire)) return;
    this.#recorded.set(name, machineConfigNode);
    const node = this.node(name);
    if (node !== undefined) this.#file(node);
  }

  /** A write of ours may have reached the node, or not. */
  onDoubt(name: string): void {
    this.#doubts.add(name);
  }

  /** There is no such node. */
  onGone(name: string): void {
    this.#doubts.delete(name);
  }

  #file(node: Node): ReadonlySet<string> {
    const { name } = node.metadata;
    const membership = membershipOf(node, this.#sources.pools.all());
    const pool = membership.kind === 'member' ? membership.primary.metadata.name : undefined;
    const touched = new Set<string>();
    if (this.#noteStray(name, membership)) touched.add(`${STRAY_PREFIX}${name}`);
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

  #strike(name: string): ReadonlySet<string> {
    this.#sent.delete(name);
    this.#strays.delete(name);
    this.#doubts.delete(name);
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

  /** True where there is something new to say. */
  #noteStray(name: string, membership: Membership): boolean {
    const message =
      membership.kind === 'conflict' || membership.kind === 'none' ? membership.message : undefined;
    if (message === this.#strays.get(name)) return false;
    if (message === undefined) this.#strays.delete(name);
    else this.#strays.set(name, message);
    return message !== undefined;
  }

  /** True where something is to be written. */
  #noteRecord(pool: string, node: Node, record: MachineConfigNode | undefined): boolean {
    const stale = this.#staleRecords.get(pool) ?? new Set<string>();
    this.#staleRecords.set(pool, stale);
    const isStale = record !== undefined && isRecordStale(node, record);
    if (isStale) stale.add(node.metadata.name);
    else stale.delete(node.metadata.name);
    return isStale;
  }
}

/** Versions are compared as numbers where they are, as every server has them; else by what we wrote. */
function isOlder<T extends AnyObject>(object: T, than: T, written: (object: T) => unknown): boolean {
  if (object.metadata.uid !== than.metadata.uid) return false;
  const [a, b] = [object, than].map(({ metadata }) => Number(metadata.resourceVersion));
  if (a !== undefined && b !== undefined && Number.isFinite(a) && Number.isFinite(b)) return a < b;
  return written(object) !== written(than);
}

function desiredOf({ metadata }: Node): unknown {
  return metadata.annotations?.[annotations.desiredConfig];
}

function recordedDesire({ spec }: MachineConfigNode): unknown {
  return spec.configVersion.desired;
}
