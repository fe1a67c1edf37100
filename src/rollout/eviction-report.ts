/**
 * What a round of evictions says about the drain.
 *
 * The first refusal is told at once, with the pod and the budget: waiting for an hour before anybody learns what is in the
 * way helps nobody. After that only news are written: a refusal that goes on is not repeated.
 */

import { annotations } from '../api/index.ts';
import { compareBytes, jsonEqual } from '../base/json.ts';
import { annotationOf, nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { refusalText } from './drain-error.ts';
import {
  asRecorded,
  type DrainRecord,
  type DrainRefusal,
  drainRecordOf,
  formatDrainRecord,
} from './drain-record.ts';
import type { NodeChange } from './node-change.ts';
import type { RolloutEvent } from './rollout-event.ts';

export type EvictionReport = { readonly change: NodeChange; readonly events: readonly RolloutEvent[] };

/** `refusals`: what was not granted in this round. `undefined` where nothing is new. */
export function evictionReport(node: Node, refusals: readonly DrainRefusal[]): EvictionReport | undefined {
  const record = drainRecordOf(node);
  if (record === undefined || record.request !== annotationOf(node, annotations.desiredDrain))
    return undefined;
  const refusal = tellingRefusal(record, refusals);
  if (refusal === undefined || jsonEqual(refusal, record.lastRefusal)) return undefined;
  const change: NodeChange = {
    annotations: { [annotations.drain]: formatDrainRecord({ ...record, lastRefusal: refusal }) },
  };
  const message = `node ${nameOf(node)}: the drain waits: ${refusalText(refusal)}`;
  return { change, events: [{ type: 'Warning', reason: 'DrainBlocked', message }] };
}

/**
 * Of several, the one that is told already: otherwise the text would change with every round. It is told until its pod
 * goes (`drainStep` sees to that), then the next one is, by name.
 */
function tellingRefusal(record: DrainRecord, refusals: readonly DrainRefusal[]): DrainRefusal | undefined {
  const { lastRefusal: told } = record;
  const candidates =
    told === undefined
      ? refusals.toSorted((a, b) => compareBytes(a.namespace, b.namespace) || compareBytes(a.pod, b.pod))
      : refusals.filter(({ namespace, pod }) => namespace === told.namespace && pod === told.pod);
  const [telling] = candidates;
  return telling && asRecorded(telling);
}
