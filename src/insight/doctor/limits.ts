/**
 * How long something may last before it counts as stuck. What is shorter is work in progress, and no cause is asserted.
 *
 *     what                                                        limit
 *     a process, a pod or a kubelet that is restarted             a minute, `RESTART_GRACE_MS` of rollout
 *     a refused eviction                                          five seconds, `blockedAfterMs` of the drain settings, and
 *                                                                 an attempt has failed or the budget can never allow it
 *     a reboot for an update                                      ten minutes, `REBOOT_LIMIT_MS`
 *     a build that should start                                   two minutes
 *     an upgrade, in which objects are of two versions            ten minutes, as the alert MillwrightPoolDegraded
 *     any other phase of an update                                an hour, as the alert MillwrightRolloutStuck
 */
import { parseTimestamp } from '../../base/text/index.ts';
import { DEFAULT_DRAIN_SETTINGS, RESTART_GRACE_MS } from '../../rollout/index.ts';

export const LIMITS = {
  restartMs: RESTART_GRACE_MS,
  refusedEvictionMs: DEFAULT_DRAIN_SETTINGS.blockedAfterMs,
  buildStartMs: 2 * 60_000,
  upgradeMs: 10 * 60_000,
  phaseMs: 60 * 60_000,
} as const;

/** Whether the time is known and so long ago. */
export function isOver(since: unknown, limitMs: number, nowMs: number): boolean {
  const sinceMs = parseTimestamp(since);
  return sinceMs !== undefined && nowMs - sinceMs >= limitMs;
}
