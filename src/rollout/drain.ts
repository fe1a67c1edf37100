/**
 * What to do next for a node that wants to be drained, or to be put back into service.
 *
 *     desiredDrain = drain-X
 *          │
 *          ├── the cluster has one node ──> skip: answered at once, nothing is touched
 *          ▼
 *      ┌ cordon ──────────┐  (or begin, where somebody else has cordoned the node before us)
 *      ▲                  ▼
 *      │        ┌──── evict <── attempt <──┐ when the delay is over, or a budget or pod that
 *      │        │       │                  │ stood in the way does so no longer
 *      │        ▼       ▼                  │
 *      ├───── wait ── back-off ────────────┘
 *      │        │       (pods left at the end of an attempt)
 *      │        ▼
 *      │     complete: lastAppliedDrain = drain-X        no pod left, and still cordoned
 *      │
 *      └── somebody uncordons the node before that: it is cordoned again, and nothing is answered
 *
 *     desiredDrain = uncordon-X ──> uncordon: lastAppliedDrain = uncordon-X
 *                                   the cordon goes if it is ours; one of somebody else stays
 *
 * A step is a function of what can be seen: the node with its record (`drain-record.ts`), its pods and the time. No step is
 * lost or repeated by a restart. Each is one write or one round of evictions; who carries it out looks again after it.
 *
 * Disruption budgets are never bypassed, and a drain never gives up: it gets slower, and louder.
 */

import { annotations, type DrainRequest, parseDrainRequest } from '../api/index.ts';
import { annotationOf, nameOf } from '../kubernetes/meta/index.ts';
import type { Node, Pod } from '../kubernetes/types/index.ts';
import { cordonHolder } from './cordon.ts';
import { drainError, isRefused } from './drain-error.ts';
import { type DaemonSetLookup, type PodReference, podsToMove } from './drain-pods.ts';
import { type DrainRecord, drainRecordOf, formatDrainRecord } from './drain-record.ts';
import type { DrainSettings } from './drain-settings.ts';
import type { NodeChange } from './node-change.ts';
import { isCordoned } from './node-state.ts';
import type { RolloutEvent } from './rollout-event.ts';

type DrainSeen = {
  readonly node: Node;
  /** All pods on the node; undefined while they are not known. A list from before the cordon may lack the latest. */
  readonly pods: Iterable<Pod> | undefined;
  readonly daemonSetExists: DaemonSetLookup;
  /** How many nodes the cluster has. */
  readonly nodeCount: number;
  readonly nowMs: number;
  readonly settings: DrainSettings;
  /** The name under which we write nodes. With it, the server's own books tell whose a cordon is. */
  readonly fieldManager?: string;
  /** By the uid of a pod. For pacing only: nothing is wrong if it is forgotten. */
  readonly refusals?: ReadonlyMap<string, Refused>;
};

/** When the eviction of a pod was last refused, and whether its budget has changed since (`relaxedPods`). */
export type Refused = { readonly atMs: number; readonly isRelaxed: boolean };

export type DrainStep =
  /** Nothing is asked, or it has been answered. */
  | { readonly kind: 'idle' }
  /** What is asked makes no sense to us. */
  | { readonly kind: 'refuse'; readonly message: string }
  /** Something is to be written on the node; then look again. */
  | {
      readonly kind: WriteKind;
      readonly change: NodeChange;
      readonly events: readonly RolloutEvent[];
      /** For logs. */
      readonly message: string;
    }
  /** These pods are to be asked to go; look again after the delay, or when a pod changes. */
  | { readonly kind: 'evict'; readonly pods: readonly PodReference[]; readonly delayMs: number }
  | {
      readonly kind: 'wait';
      readonly pods: readonly PodReference[];
      readonly delayMs: number;
      readonly why: string;
    };

/**
 * Beside the boxes above: `progress` takes back what was said of a pod that has gone since. `release` forgets a cordon of
 * ours that somebody took away after the drain was complete: the node is theirs then, and a later cordon stays.
 */
type WriteKind =
  | 'skip'
  | 'cordon'
  | 'begin'
  | 'attempt'
  | 'back-off'
  | 'progress'
  | 'complete'
  | 'uncordon'
  | 'release';

export function drainStep(seen: DrainSeen): DrainStep {
  const { node } = seen;
  const asked = annotationOf(node, annotations.desiredDrain) ?? '';
  const answered = annotationOf(node, annotations.lastAppliedDrain) ?? '';
  if (asked === '') return { kind: 'idle' };
  if (asked === answered) return afterAnswer(node);
  const request = parseDrainRequest(asked);
  if (request === undefined) return refuse(node, asked);
  return request.verb === 'uncordon' ? uncordon(seen, asked) : drain(seen, asked, request);
}

/** Whether the drain has gone on for so long that somebody should be called. */
export function isOverdue(record: DrainRecord, nowMs: number, settings: DrainSettings): boolean {
  return nowMs - record.beganMs > settings.overdueAfterMs;
}

function refuse(node: Node, asked: string): DrainStep {
  const [verb = ''] = asked.split('-');
  return { kind: 'refuse', message: `node ${nameOf(node)}: non-recognized drain verb detected ${verb}` };
}

function afterAnswer(node: Node): DrainStep {
  const record = drainRecordOf(node);
  if (record?.cordonedBy !== 'millwright' || isCordoned(node)) return { kind: 'idle' };
  return write('release', `node ${nameOf(node)}: uncordoned by somebody else`, {
    annotations: recorded({ ...record, cordonedBy: 'nobody' }),
  });
}

function uncordon(seen: DrainSeen, asked: string): DrainStep {
  const { node } = seen;
  const isOurs =
    isCordoned(node) && cordonHolder(node, drainRecordOf(node), seen.fieldManager) === 'millwright';
  const message = isOurs
    ? 'uncordoning'
    : isCordoned(node)
      ? 'keeping the cordon of somebody else'
      : 'in service';
  return write('uncordon', `node ${nameOf(node)}: ${message}`, {
    ...(isOurs ? { unschedulable: false } : {}),
    annotations: { [annotations.lastAppliedDrain]: asked, [annotations.drain]: null },
  });
}

function drain(seen: DrainSeen, asked: string, request: DrainRequest): DrainStep {
  const { node, nowMs } = seen;
  const previous = drainRecordOf(node);
  const holder = isCordoned(node) ? cordonHolder(node, previous, seen.fieldManager) : 'nobody';
  const begun: DrainRecord =
    // A clock that began goes on, also where somebody took the cordon away in between.
    previous?.request === asked
      ? previous
      : { request: asked, cordonedBy: holder, beganMs: nowMs, attempts: 0, attemptBeganMs: nowMs };
  if (seen.nodeCount === 1) return skip(node, begun);
  if (!isCordoned(node)) {
    return write('cordon', `node ${nameOf(node)}: cordoning for ${request.config}`, {
      unschedulable: true,
      annotations: recorded({ ...anotherAttempt(begun, nowMs), cordonedBy: 'millwright' }),
    });
  }
  if (begun === previous) return empty(seen, begun);
  return write('begin', `node ${nameOf(node)}: initiating drain for ${request.config}`, {
    annotations: recorded(anotherAttempt(begun, nowMs)),
  });
}

/** With no other node the pods have nowhere to go. They end with the node, and come back with it. */
function skip(node: Node, record: DrainRecord): DrainStep {
  const message = 'Drain not required, skipping';
  const change: NodeChange = {
    annotations: {
      ...recorded({ ...record, isSkipped: true }),
      [annotations.lastAppliedDrain]: record.request,
    },
  };
  return write('skip', `node ${nameOf(node)}: ${message}`, change, [
    { type: 'Normal', reason: 'Drain', message },
  ]);
}

function anotherAttempt({ retryAtMs: _, ...record }: DrainRecord, nowMs: number): DrainRecord {
  return { ...record, attempts: record.attempts + 1, attemptBeganMs: nowMs };
}

/** The node is cordoned; its pods have to go. */
function empty(seen: DrainSeen, record: DrainRecord): DrainStep {
  const { settings, nowMs, pods, refusals } = seen;
  if (pods === undefined) {
    return { kind: 'wait', pods: [], delayMs: settings.evictionRetryMs, why: 'for its pods to be known' };
  }
  const { staying, leaving } = podsToMove(pods, seen.daemonSetExists);
  const left = [...staying, ...leaving];
  if (left.length === 0) return complete(seen.node, record);
  const { lastRefusal } = record;
  if (lastRefusal !== undefined && !staying.some((pod) => isRefused(pod, lastRefusal))) {
    return progress(seen, record);
  }
  if (record.retryAtMs !== undefined) {
    const delayMs = record.retryAtMs - nowMs;
    const isRelaxed = staying.some(({ uid }) => refusals?.get(uid)?.isRelaxed === true);
    // A moment further away than any delay of ours was written by another clock.
    if (delayMs <= 0 || delayMs > settings.slowRetryMs || isRelaxed) return nextAttempt(seen, record);
    return { kind: 'wait', pods: left, delayMs, why: 'until the next attempt to drain' };
  }
  if (record.attemptBeganMs > nowMs) return nextAttempt(seen, record);
  const remainingMs = record.attemptBeganMs + settings.attemptMs - nowMs;
  if (remainingMs <= 0) return backOff(seen, record, { staying, leaving });
  const dueInMs = ({ uid }: PodReference) => {
    const { atMs = -Infinity, isRelaxed = false } = refusals?.get(uid) ?? {};
    const pauseMs = isRelaxed ? settings.relaxedRetryMs : settings.evictionRetryMs;
    return Math.max(0, atMs + pauseMs - nowMs);
  };
  const due = staying.filter((pod) => dueInMs(pod) === 0);
  if (due.length > 0) {
    return { kind: 'evict', pods: due, delayMs: Math.min(settings.evictionRetryMs, remainingMs) };
  }
  const nextMs = Math.min(remainingMs, ...staying.map(dueInMs));
  return { kind: 'wait', pods: left, delayMs: nextMs, why: 'for pods to end' };
}

function complete(node: Node, record: DrainRecord): DrainStep {
  const { request, cordonedBy, beganMs, attempts, attemptBeganMs } = record;
  return write('complete', `node ${nameOf(node)}: operation successful; applying completion annotation`, {
    annotations: {
      ...recorded({ request, cordonedBy, beganMs, attempts, attemptBeganMs }),
      [annotations.lastAppliedDrain]: request,
    },
  });
}

/** The pod that was in the way has gone: what was said of it no longer holds, and nobody needs to wait because of it. */
function progress({ node, nowMs }: DrainSeen, record: DrainRecord): DrainStep {
  const { lastRefusal, lastError: _, ...rest } = record;
  const next = rest.retryAtMs === undefined ? rest : anotherAttempt(rest, nowMs);
  return write('progress', `node ${nameOf(node)}: pod ${lastRefusal?.namespace}/${lastRefusal?.pod} may go`, {
    annotations: recorded(next),
  });
}

function nextAttempt({ node, nowMs, settings }: DrainSeen, record: DrainRecord): DrainStep {
  const next = anotherAttempt(record, nowMs);
  const change: NodeChange = { annotations: recorded(next) };
  if (!isOverdue(record, nowMs, settings)) {
    return write('attempt', `node ${nameOf(node)}: initiating drain, attempt ${next.attempts}`, change);
  }
  const message = `node ${nameOf(node)}: drain exceeded timeout: 1h0m0s. Will continue to retry.`;
  return write('attempt', message, change, [{ type: 'Warning', reason: 'DrainFailed', message }]);
}

function backOff(
  { nowMs, settings }: DrainSeen,
  record: DrainRecord,
  left: { readonly staying: readonly PodReference[]; readonly leaving: readonly PodReference[] },
): DrainStep {
  const lastError = drainError(left, record);
  const isSlow = record.attemptBeganMs - record.beganMs > settings.slowAfterMs;
  const message = isSlow
    ? `Drain failed. Drain has been failing for more than 10 minutes. Waiting 5 minutes then retrying. Error message from drain: ${lastError}`
    : `Drain failed. Waiting 1 minute then retrying. Error message from drain: ${lastError}`;
  const retryAtMs = nowMs + (isSlow ? settings.slowRetryMs : settings.retryMs);
  return write(
    'back-off',
    message,
    { annotations: recorded({ ...record, retryAtMs, lastError }) },
    isSlow ? [{ type: 'Warning', reason: 'DrainThresholdExceeded', message }] : [],
  );
}

function recorded(record: DrainRecord): NodeChange['annotations'] {
  return { [annotations.drain]: formatDrainRecord(record) };
}

function write(
  kind: WriteKind,
  message: string,
  change: NodeChange,
  events: readonly RolloutEvent[] = [],
): DrainStep {
  return { kind, message, change, events };
}
