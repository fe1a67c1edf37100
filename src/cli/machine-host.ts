/** The machine that a command manages: this one, a mounted one, or the one of another process. */
import type { Random } from '../base/env.ts';
import { createLinuxHost, type Host } from '../node/host/index.ts';
import { createCommandRunner, createLinuxDisk, type Entrance } from '../node/host/linux-node.ts';

export type MachineOptions = { readonly rootMount: string; readonly hostPid?: number };

type MachineHostParts = {
  readonly random: Random;
  readonly pid: number;
  /** Logs commands and their output. */
  readonly log: (line: string) => void;
};

export function createMachineHost(options: MachineOptions, { random, pid, log }: MachineHostParts): Host {
  const root = options.hostPid === undefined ? options.rootMount : `/proc/${options.hostPid}/root`;
  return createLinuxHost({
    disk: createLinuxDisk(root),
    // Commands run to completion even when the daemon is asked to stop: an interrupted one may leave the machine broken.
    runner: createCommandRunner({ entrance: entranceOf(options) }),
    random,
    processId: pid,
    log,
  });
}

function entranceOf({ rootMount, hostPid }: MachineOptions): Entrance {
  if (hostPid !== undefined) return { kind: 'nsenter', processId: hostPid };
  return rootMount === '/' ? { kind: 'here' } : { kind: 'chroot', root: rootMount };
}
