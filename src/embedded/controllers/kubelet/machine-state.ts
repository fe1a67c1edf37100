/**
 * Which machines of simulated nodes are up, and what they have booted.
 */

import type { NodeSystemInfo } from '../../../kubernetes/types/index.ts';

/** The boot of a machine: its ID, and system info for the Node status. */
export type BootInfo = Partial<NodeSystemInfo> & { readonly bootID: string };

/** The port through which kubelets observe their machines. */
export interface MachineState {
  /** Nothing runs on a machine that is down. */
  isUp(node: string): boolean;
  /** Only for machines that are up. */
  boot(node: string): BootInfo;
  /** Called when a machine went down, came up or rebooted. */
  onChange(listener: (node: string) => void): void;
}
