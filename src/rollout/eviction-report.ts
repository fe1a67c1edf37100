/**
 * Reports the outcome of a round of evictions on the node.
 *
 * The first refusal is reported at once, with the pod and the disruption budget, rather than when the drain times out.
 * After that only changes are written: a refusal that persists is not repeated.
 */

import { annotations } from '../api/index.ts';
import { compareBytes, jsonEqual } from '../base/json.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { refusalText } from './drain-error.ts';
import { asRecorded, type DrainRecord, type DrainRefusal, formatDrainRecord } from './drain-record.ts';
import { drainState } from './drain-state.ts';
import type { NodeChange } from './node-change.ts';
import type { RolloutEvent } from './rollout-event.ts';

export type EvictionReport = { readonly change: NodeChange; readonly events: readonly RolloutEvent[] };

/** `refusals`: the refused evictions of this round. `undefined` where nothing has changed. */
export function evictionReport(node: Node, refusals: readonly DrainRefusal[]): EvictionReport | undefined {
  const { currentRecord: record } = drainState(node);
  if (record === undefined) return undefined;
  const refusal = reportedRefusal(record, refusals);
  if (refusal === undefined || jsonEqual(refusal, record.lastRefusal)) return undefined;
  const change: NodeChange = {
    annotations: { [annotations.drain]: formatDrainRecord({ ...record, lastRefusal: refusal }) },
  };
  const message = `node ${nameOf(node)}: the drain is blocked: ${refusalText(refusal)}`;
  return { change, events: [{ type: 'Warning', reason: 'DrainBlocked', message, isAdditional: true }] };
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
