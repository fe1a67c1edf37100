/**
 * Which simulated machines run, and what they have booted.
 */

import type { Random } from '../../../base/env.ts';
import type { NodeSystemInfo } from '../../../kubernetes/types/index.ts';

/** What a machine has booted. Another `bootID` means another boot; the rest is shown as the machine says it. */
export type BootInfo = Partial<NodeSystemInfo> & { readonly bootID: string };

/** Whoever has the machines says here how they are. */
export interface MachineState {
  /** A machine that is down says nothing, and nothing on it changes. */
  isUp(node: string): boolean;
  /** Asked of machines that are up. */
  boot(node: string): BootInfo;
  /** Called with the name of a machine that went down, came up, or booted anew. */
  onChange(listener: (node: string) => void): void;
}

/** Machines that are nothing but a switch: all of them run until somebody says otherwise. */
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

  /** As if the plug was pulled. */
  switchOff(node: string): void {
    this.#down.add(node);
    this.#tell(node);
  }

  /** Boots the machine, possibly into another system. */
  switchOn(node: string, system: Partial<NodeSystemInfo> = {}): void {
    this.#boots.set(node, { ...system, bootID: this.#random.uuid() });
    this.#down.delete(node);
    this.#tell(node);
  }

  /** The machine was never off, but nobody could reach it. */
  reconnect(node: string): void {
    this.#down.delete(node);
    this.#tell(node);
  }

  #tell(node: string): void {
    for (const listener of this.#listeners) listener(node);
  }
}
