/**
 * Whether a node has come back from its reboot in time. Its daemon reports the end of a reboot; until then the node is rebooting, and
 * after a while somebody has to look at it.
 *
 *     rebooting for    its kubelet        overdue
 *     10 minutes       whatever           no: servers test their memory and disks first
 *     longer           not Ready          the machine
 *     longer           Ready              its daemon
 */
import { parseTimestamp } from '../base/text/index.ts';
import type { Phase } from './node-phase.ts';

export const REBOOT_LIMIT_MS = 10 * 60_000;

/** What has not come back: the machine, or only its daemon. */
export type Overdue = 'machine' | 'daemon';

type Reboot = {
  readonly phase?: Phase;
  readonly phaseSince?: string;
  readonly notReady?: { readonly since?: string };
};

export function overdueReboot({ phase, phaseSince, notReady }: Reboot, nowMs: number): Overdue | undefined {
  if (phase !== 'rebooting') return undefined;
  // Without a MachineConfigNode only the kubelet says since when.
  const sinceMs = parseTimestamp(phaseSince ?? notReady?.since);
  if (sinceMs === undefined || nowMs - sinceMs < REBOOT_LIMIT_MS) return undefined;
  return notReady === undefined ? 'daemon' : 'machine';
}
