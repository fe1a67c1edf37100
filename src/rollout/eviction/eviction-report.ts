/**
 * Reports the outcome of a round of evictions on the node.
 *
 * The first refusal is recorded at once, with the pod and the disruption budget, rather than when the drain times out. There
 * is a warning when it persists: most refusals end as soon as the replacement of another pod runs. After that only changes
 * are written and warned about.
 */

import { annotations } from '../../api/index.ts';
import { compareBytes, jsonEqual } from '../../base/json.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { refusalText } from '../drain-error.ts';
import { asRecorded, type DrainRecord, type DrainRefusal, formatDrainRecord } from '../drain-record.ts';
import type { DrainSettings } from '../drain-settings.ts';
import { drainState } from '../drain-state.ts';
import type { NodeChange } from '../node-change.ts';
import type { RolloutEvent } from '../rollout-event.ts';

export type EvictionReport = { readonly change: NodeChange; readonly events: readonly RolloutEvent[] };

type EvictionOutcome = {
  /** The refused evictions of this round. */
  readonly refusals: readonly DrainRefusal[];
  readonly nowMs: number;
  readonly settings: Pick<DrainSettings, 'blockedAfterMs'>;
};

/** `undefined` where nothing has changed. */
export function evictionReport(node: Node, outcome: EvictionOutcome): EvictionReport | undefined {
  const { currentRecord: record } = drainState(node);
  const refusal = record && reportedRefusal(record, outcome.refusals);
  if (record === undefined || refusal === undefined) return undefined;
  const { lastRefusal, refusedSinceMs = outcome.nowMs, isRefusalWarned } = record;
  const isNew = !jsonEqual(refusal, lastRefusal);
  const refusedMs = outcome.nowMs - refusedSinceMs;
  // A time in the future was written by another clock.
  const isLasting = refusedMs < 0 || refusedMs >= outcome.settings.blockedAfterMs;
  const isWarned = isLasting && (isNew || isRefusalWarned !== true);
  if (!isNew && !isWarned) return undefined;
  const next: DrainRecord = { ...record, lastRefusal: refusal, refusedSinceMs };
  const written = formatDrainRecord(isLasting ? { ...next, isRefusalWarned: true } : next);
  const message = `node ${nameOf(node)}: the drain is blocked: ${refusalText(refusal)}`;
  return {
    change: { annotations: { [annotations.drain]: written } },
    events: isWarned ? [{ type: 'Warning', reason: 'DrainBlocked', message, isAdditional: true }] : [],
  };
}

/**
 * Of several refusals the one that is reported already: otherwise the message would change with every round. It stays
 * until its pod has gone (see `drainStep`); then the next one follows, by name.
 */
function reportedRefusal(record: DrainRecord, refusals: readonly DrainRefusal[]): DrainRefusal | undefined {
  const { lastRefusal: reported } = record;
  const candidates =
    reported === undefined
      ? refusals.toSorted((a, b) => compareBytes(a.namespace, b.namespace) || compareBytes(a.pod, b.pod))
      : refusals.filter(({ namespace, pod }) => namespace === reported.namespace && pod === reported.pod);
  const [first] = candidates;
  return first && asRecorded(first);
}
