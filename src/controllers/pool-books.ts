/**
 * Which nodes are in which pool, and what they add up to: kept from the changes of the caches, event by event.
 *
 * Each method says which pools have to be looked at again. Beside the caches the books know what we have written and the
 * caches may not show yet (`onSent`): news of a node that are older than that are not believed.
 */
import type { MachineConfigNode, MachineConfigPool } from '../api/index.ts';
import { annotations } from '../api/index.ts';
import type { Node } from '../builtin/index.ts';
import { jsonEqual } from '../json.ts';
import type { Cache, Change } from '../kube/index.ts';
import { membershipOf, PoolTally, targetOf } from '../rollout/index.ts';

export type BookSources = {
  readonly pools: Cache<MachineConfigPool>;
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
};

export class PoolBooks {
  readonly #sources: BookSources;
  readonly #tallies = new Map<string, PoolTally>();
  readonly #poolOf = new Map<string, string>();
  /** What we wrote on nodes and have not seen come back. */
  readonly #sent = new Map<string, Node>();

  constructor(sources: BookSources) {
    this.#sources = sources;
  }

  tally(pool: string): PoolTally | undefined {
    return this.#tallies.get(pool);
  }

  machineConfigNode(node: string): MachineConfigNode | undefined {
    return this.#sources.machineConfigNodes.get({ name: node });
  }

  onPool({ before, after }: Change<MachineConfigPool>): ReadonlySet<string> {
    const touched = new Set<string>();
    const name = (after ?? before)?.metadata.name ?? '';
    if (after === undefined) this.#tallies.delete(name);
    else {
      touched.add(name);
      if (!this.#tallies.has(name)) this.#tallies.set(name, new PoolTally(targetOf(after)));
    }
    if (
      before !== undefined &&
      after !== undefined &&
      jsonEqual(before.spec.nodeSelector, after.spec.nodeSelector)
    ) {
      // Its own status is no news; what it selects, wants and allows is.
      const isNews =
        !jsonEqual(before.spec, after.spec) || !jsonEqual(before.metadata, { ...after.metadata });
      return isNews ? touched : new Set();
    }
    for (const node of this.#sources.nodes.all()) for (const pool of this.#file(node)) touched.add(pool);
    return touched;
  }

  onNode({ before, after }: Change<Node>): ReadonlySet<string> {
    if (after === undefined) return this.#strike(before?.metadata.name ?? '');
    const sent = this.#sent.get(after.metadata.name);
    if (sent !== undefined && isOlder(after, sent)) return new Set();
    this.#sent.delete(after.metadata.name);
    return this.#file(after);
  }

  onMachineConfigNode({ before, after }: Change<MachineConfigNode>): ReadonlySet<string> {
    const name = (after ?? before)?.metadata.name ?? '';
    const node = this.#sent.get(name) ?? this.#sources.nodes.get({ name });
    return node === undefined ? new Set() : this.#file(node);
  }

  /** The node as the server gave it back after a write of ours. */
  onSent(node: Node): void {
    const known = this.#sources.nodes.get({ name: node.metadata.name });
    // The cache may have been faster.
    if (known !== undefined && !isOlder(known, node)) return;
    this.#sent.set(node.metadata.name, node);
    this.#file(node);
  }

  #file(node: Node): ReadonlySet<string> {
    const { name } = node.metadata;
    const membership = membershipOf(node, this.#sources.pools.all());
    const pool = membership.kind === 'member' ? membership.primary.metadata.name : undefined;
    const touched = new Set<string>();
    const before = this.#poolOf.get(name);
    if (before !== undefined && before !== pool) {
      this.#tallies.get(before)?.remove(name);
      this.#poolOf.delete(name);
      touched.add(before);
    }
    if (pool === undefined) return touched;
    this.#poolOf.set(name, pool);
    if (this.#tallies.get(pool)?.replace(node, this.machineConfigNode(name)) === true) touched.add(pool);
    return touched;
  }

  #strike(name: string): ReadonlySet<string> {
    this.#sent.delete(name);
    const pool = this.#poolOf.get(name);
    if (pool === undefined) return new Set();
    this.#poolOf.delete(name);
    this.#tallies.get(pool)?.remove(name);
    return new Set([pool]);
  }
}

/** Versions are compared as numbers where they are, as every server has them; else by what we wrote. */
function isOlder(node: Node, than: Node): boolean {
  if (node.metadata.uid !== than.metadata.uid) return false;
  const [a, b] = [node, than].map(({ metadata }) => Number(metadata.resourceVersion));
  if (a !== undefined && b !== undefined && Number.isFinite(a) && Number.isFinite(b)) return a < b;
  const desired = ({ metadata }: Node) => metadata.annotations?.[annotations.desiredConfig];
  return desired(node) !== desired(than);
}
