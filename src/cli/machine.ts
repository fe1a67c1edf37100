/** The machine that a command works on: the one that it runs on, or the one that is mounted or runs beside it. */
import type { Random } from '../base/env.ts';
import { createLinuxHost, type Host } from '../node/host/index.ts';
import { createCommandRunner, createLinuxDisk, type Entrance } from '../node/host/linux-node.ts';

export type MachineOptions = { readonly rootMount: string; readonly hostPid?: number };

type MachineParts = {
  readonly random: Random;
  readonly pid: number;
  /** What is run, and what it says. */
  readonly say: (line: string) => void;
};

export function machineOf(options: MachineOptions, { random, pid, say }: MachineParts): Host {
  const root = options.hostPid === undefined ? options.rootMount : `/proc/${options.hostPid}/root`;
  return createLinuxHost({
    disk: createLinuxDisk(root),
    // What has begun is brought to its end, whoever asks us to stop: half a command leaves half a machine.
    runner: createCommandRunner({ entrance: entranceOf(options) }),
    random,
    processId: pid,
    say,
  });
}

function entranceOf({ rootMount, hostPid }: MachineOptions): Entrance {
  if (hostPid !== undefined) return { kind: 'nsenter', processId: hostPid };
  return rootMount === '/' ? { kind: 'here' } : { kind: 'chroot', root: rootMount };
}
