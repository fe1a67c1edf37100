import type { Random } from '../../src/base/env.ts';
import type { BootInfo, MachineState } from '../../src/embedded/controllers/index.ts';
import type { NodeSystemInfo } from '../../src/kubernetes/types/index.ts';

/** Machines without state of their own, all up until switched off. */
export class SimulatedMachines implements MachineState {
  readonly #random: Pick<Random, 'uuid'>;
  readonly #boots = new Map<string, BootInfo>();
  readonly #down = new Set<string>();
  readonly #listeners: ((node: string) => void)[] = [];

  constructor(random: Pick<Random, 'uuid'>) {
    this.#random = random;
  }

  isUp(node: string): boolean {
    return !this.#down.has(node);
  }

  boot(node: string): BootInfo {
    const known = this.#boots.get(node);
    if (known !== undefined) return known;
    const boot = { bootID: this.#random.uuid() };
    this.#boots.set(node, boot);
    return boot;
  }

  onChange(listener: (node: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Power loss. */
  switchOff(node: string): void {
    this.#down.add(node);
    this.#notify(node);
  }

  /** Boots the machine, possibly into another system. */
  switchOn(node: string, system: Partial<NodeSystemInfo> = {}): void {
    this.#boots.set(node, { ...system, bootID: this.#random.uuid() });
    this.#down.delete(node);
    this.#notify(node);
  }

  /** Ends a network partition: the machine was never off. */
  reconnect(node: string): void {
    this.#down.delete(node);
    this.#notify(node);
  }

  #notify(node: string): void {
    for (const listener of this.#listeners) listener(node);
  }
}
