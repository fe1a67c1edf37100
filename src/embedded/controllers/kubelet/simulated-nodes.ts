/**
 * The nodes with simulated kubelets. Machines join and leave while the cluster runs; the number of a node, which determines its
 * addresses, stays the same for as long as it is here.
 */
import type { SimulatedNode } from './node-status.ts';

export type NumberedNode = { readonly node: SimulatedNode; readonly index: number };

export class SimulatedNodes {
  readonly #byName = new Map<string, NumberedNode>();

  constructor(nodes: Iterable<SimulatedNode>) {
    for (const node of nodes) this.add(node);
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  get(name: string): NumberedNode | undefined {
    return this.#byName.get(name);
  }

  /** With the lowest number that is free. */
  add(node: SimulatedNode): void {
    const taken = new Set([...this.#byName.values()].map(({ index }) => index));
    let index = this.#byName.size;
    if (taken.has(index)) {
      index = 0;
      while (taken.has(index)) index += 1;
    }
    this.#byName.set(node.name, { node, index });
  }

  /** Its kubelet reports nothing from now on. */
  remove(name: string): void {
    this.#byName.delete(name);
  }
}
