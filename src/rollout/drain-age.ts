/**
 * How much time was spent on a drain.
 *
 * Not simply the time since it began: a controller that did not run meanwhile, on a suspended machine or because it was
 * restarted late, has not tried. So each attempt, with the delay after it, counts for no longer than it is planned to take.
 */
import type { Node } from '../kubernetes/types/index.ts';
import type { DrainRecord } from './drain-record.ts';
import type { DrainSettings } from './drain-settings.ts';
import { drainState, isDrainPending } from './drain-state.ts';

/** Whether the drain has taken so long that the administrator should be alerted. */
export function isOverdue(record: DrainRecord, nowMs: number, settings: DrainSettings): boolean {
  return drainAgeMs(record, nowMs, settings) > settings.overdueAfterMs;
}

/** Whether the node is being drained, and that has taken so long. */
export function isDrainOverdue(node: Node, nowMs: number, settings: DrainSettings): boolean {
  if (!isDrainPending(node)) return false;
  const { currentRecord } = drainState(node);
  return currentRecord !== undefined && isOverdue(currentRecord, nowMs, settings);
}

/** Whether the present attempt began so late that the delay after it is the longer one. */
export function isSlow(record: DrainRecord, settings: DrainSettings): boolean {
  return spentBefore(record) > settings.slowAfterMs;
}

/** From the end of the present attempt to the next one. */
export function retryDelayMs(record: DrainRecord, settings: DrainSettings): number {
  return isSlow(record, settings) ? settings.slowRetryMs : settings.retryMs;
}

export function drainAgeMs(record: DrainRecord, nowMs: number, settings: DrainSettings): number {
  const plannedMs =
    settings.attemptMs + (record.retryAtMs === undefined ? 0 : retryDelayMs(record, settings));
  const elapsedMs = Math.max(0, nowMs - record.attemptBeganMs);
  return spentBefore(record) + Math.min(elapsedMs, plannedMs);
}

/** Whether no controller has carried out the present attempt: while it runs there is a step every few seconds. */
export function isAbandoned(
  { attemptBeganMs }: DrainRecord,
  nowMs: number,
  settings: DrainSettings,
): boolean {
  return nowMs - attemptBeganMs >= 2 * settings.attemptMs;
}

/** Before the present attempt. Records of the first attempt do not have it, nor do those of older versions. */
function spentBefore({ spentMs, beganMs, attemptBeganMs }: DrainRecord): number {
  return spentMs ?? Math.max(0, attemptBeganMs - beganMs);
}
