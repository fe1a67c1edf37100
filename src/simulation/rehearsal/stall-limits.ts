/**
 * How long a rehearsal waits where no node gets further. What is known to take its time blocks nothing: a reboot of so many minutes, a node
 * that is slow, a fault that ends. Pure.
 */
import type { MachineTimes } from '../cluster/machine.ts';
import { LENGTH_LIMIT_MS, QUIET_MS, STALL_MS } from './rehearsal-limits.ts';
import type { WhatIf } from './what-ifs.ts';

/** On the node on which it takes longest. */
export function stallLimitMs(nodes: readonly MachineTimes[]): number {
  return STALL_MS + QUIET_MS + nodes.reduce((longest, times) => Math.max(longest, updateMs(times)), 0);
}

/** With one node after the other. */
export function lengthLimitMs(nodes: readonly MachineTimes[], whatIfs: readonly WhatIf[]): number {
  const faultsMs = whatIfs.reduce((sum, one) => sum + ('ms' in one ? (one.ms ?? 0) : 0), 0);
  return LENGTH_LIMIT_MS + faultsMs + nodes.reduce((sum, times) => sum + updateMs(times), 0);
}

/** When the last fault that ends has ended. `crashedMs`: when the controllers were killed; undefined before. */
export function faultsEndMs(whatIfs: readonly WhatIf[], crashedMs: number | undefined): number {
  const ends = whatIfs.map((one) => {
    if (one.kind === 'registry-down') return one.ms;
    return one.kind === 'controller-crash' && crashedMs !== undefined ? crashedMs + (one.ms ?? 0) : 0;
  });
  return Math.max(0, ...ends);
}

function updateMs({ bootMs, shutDownMs, pullMs, stageMs }: MachineTimes): number {
  return bootMs + shutDownMs + pullMs + stageMs;
}
