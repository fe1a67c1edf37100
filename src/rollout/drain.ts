/**
 * Decides the next step for a node that requests to be drained, or to be put back into service.
 *
 *     desiredDrain = drain-X
 *          │
 *          ├── the cluster has one node ──> skip: answered at once, nothing is touched
 *          ▼
 *      ┌ cordon ──────────┐  (or begin, where the node was cordoned before)
 *      ▲                  ▼
 *      │        ┌──── evict <── attempt <──┐ when the delay is over, or the pod or its disruption
 *      │        │       │                  │ budget no longer blocks the drain
 *      │        ▼       ▼                  │
 *      ├───── wait ── back-off ────────────┘
 *      │        │       (pods left at the end of an attempt)
 *      │        ▼
 *      │     complete: lastAppliedDrain = drain-X        no pod left, and still cordoned
 *      │
 *      └── uncordoned by someone else before that: it is cordoned again, and not answered yet
 *
 *     desiredDrain = uncordon-X ──> uncordon: lastAppliedDrain = uncordon-X
 *                                   removes the cordon if it is ours; any other cordon stays
 *
 * A step depends only on the node with its record (`drain-state.ts`), its pods and the time, so a restart neither loses nor
 * repeats one. Each step is one write or one round of evictions, after which the caller reconciles again.
 *
 * Disruption budgets are never bypassed, and a drain never gives up: it retries less often, and warns.
 */
import { annotations, type DrainRequest } from '../api/index.ts';
import { optionalStringAt } from '../base/json-fields.ts';
import { formatGoDuration, spellDuration } from '../base/text/index.ts';
import { annotationOf, nameOf } from '../kubernetes/meta/index.ts';
import type { Node, Pod } from '../kubernetes/types/index.ts';
import { cordonHolder } from './cordon.ts';
import { drainAgeMs, isAbandoned, isOverdue, isSlow, retryDelayMs } from './drain-age.ts';
import { drainError, isRefused } from './drain-error.ts';
import { type DaemonSetLookup, type PodReference, podsToMove } from './drain-pods.ts';
import { type DrainRecord, formatDrainRecord } from './drain-record.ts';
import type { DrainSettings } from './drain-settings.ts';
import { type DrainState, drainState } from './drain-state.ts';
import type { NodeChange } from './node-change.ts';
import { isCordoned } from './node-state.ts';
import type { RolloutEvent } from './rollout-event.ts';

/** What a step is decided from. */
type DrainContext = {
  readonly node: Node;
  /** All pods on the node; undefined until they are listed. */
  readonly pods: Iterable<Pod> | undefined;
  /** The resourceVersion of the node when its pods were listed; absent where that was just now. */
  readonly listedAtVersion?: string;
  readonly daemonSetExists: DaemonSetLookup;
  /** The number of nodes in the cluster. */
  readonly nodeCount: number;
  readonly nowMs: number;
  readonly settings: DrainSettings;
  /** The field manager of the drain controller. With it, `managedFields` shows who set the cordon. */
  readonly fieldManager?: string;
  /** By pod uid. For pacing only: losing it costs one early eviction request. */
  readonly refusals?: ReadonlyMap<string, Refused>;
};

/** When the eviction of a pod was last refused, and whether its disruption budget has changed since (`relaxedPods`). */
export type Refused = { readonly atMs: number; readonly isRelaxed: boolean };

export type DrainStep =
  /** Nothing is requested, or the request has been answered or is outdated. */
  | { readonly kind: 'idle' }
  /** The request is unknown. */
  | { readonly kind: 'refuse'; readonly message: string }
  /** Patch the node, then reconcile again. */
  | {
      readonly kind: WriteKind;
      readonly change: NodeChange;
      readonly events: readonly RolloutEvent[];
      /** For logs. */
      readonly message: string;
    }
  /** List the pods of the node from the server, and decide again with them. */
  | { readonly kind: 'list' }
  /** Evict these pods; reconcile again after the delay, or when a pod changes. */
  | { readonly kind: 'evict'; readonly pods: readonly PodReference[]; readonly delayMs: number }
  | {
      readonly kind: 'wait';
      readonly pods: readonly PodReference[];
      readonly delayMs: number;
      readonly why: string;
    };

/**
 * Beside the boxes above: `progress` clears the recorded refusal of a pod that has gone since. `release` records that
 * our cordon was removed by someone else after the drain was complete: a later cordon is theirs, and stays.
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

export function drainStep(context: DrainContext): DrainStep {
  const { node } = context;
  const state = drainState(node);
  const { requested, request, isPending } = state;
  if (requested === '') return { kind: 'idle' };
  if (!isPending) return afterAnswer(node, state);
  if (request === undefined) return refuse(node, requested);
  if (isOutdated(node, state)) return { kind: 'idle' };
  return request.verb === 'uncordon' ? uncordon(context, state) : drain(context, state, request);
}

function refuse(node: Node, requested: string): DrainStep {
  const [verb = ''] = requested.split('-');
  return { kind: 'refuse', message: `node ${nameOf(node)}: non-recognized drain verb detected ${verb}` };
}

/**
 * Another config is desired since the drain was requested, and the node takes pods: the daemon takes the request back, or requests another
 * drain. The new config may be one that needs none, or whose OS image cannot be pulled.
 */
function isOutdated(node: Node, { request, currentRecord }: DrainState): boolean {
  const desired = annotationOf(node, annotations.desiredConfig) ?? '';
  if (request?.verb !== 'drain' || desired === '' || desired === request.config) return false;
  return currentRecord === undefined || !isCordoned(node);
}

function afterAnswer(node: Node, { record }: DrainState): DrainStep {
  if (record?.cordonedBy !== 'millwright' || isCordoned(node)) return { kind: 'idle' };
  return write('release', `node ${nameOf(node)}: uncordoned by someone else`, {
    annotations: recorded({ ...record, cordonedBy: 'nobody' }),
  });
}

function uncordon({ node, fieldManager }: DrainContext, { requested, record }: DrainState): DrainStep {
  const isOurs = isCordoned(node) && cordonHolder(node, record, fieldManager) === 'millwright';
  const foreign = isCordoned(node) ? 'keeping a cordon that is not ours' : 'already schedulable';
  const message = isOurs ? 'uncordoning' : foreign;
  return write('uncordon', `node ${nameOf(node)}: ${message}`, {
    ...(isOurs ? { unschedulable: false } : {}),
    annotations: { [annotations.lastAppliedDrain]: requested, [annotations.drain]: null },
  });
}

function drain(context: DrainContext, state: DrainState, request: DrainRequest): DrainStep {
  const { node, nowMs, nodeCount, fieldManager } = context;
  const { requested, record: previous, currentRecord } = state;
  const holder = isCordoned(node) ? cordonHolder(node, previous, fieldManager) : 'nobody';
  // The drain keeps its start time, even if the cordon was removed in between.
  const begun: DrainRecord = currentRecord ?? {
    request: requested,
    cordonedBy: holder,
    beganMs: nowMs,
    attempts: 0,
    attemptBeganMs: nowMs,
  };
  if (nodeCount === 1) return skip(node, begun);
  if (!isCordoned(node)) {
    return write('cordon', `node ${nameOf(node)}: cordoning for ${request.config}`, {
      unschedulable: true,
      annotations: recorded({
        ...withoutCordonError(anotherAttempt(begun, context)),
        cordonedBy: 'millwright',
      }),
    });
  }
  if (begun === currentRecord) return evictPods(context, begun);
  return write('begin', `node ${nameOf(node)}: initiating drain for ${request.config}`, {
    annotations: recorded(anotherAttempt(begun, context)),
  });
}

/** With no other node, evicted pods could not be scheduled. They stop and start with the node. */
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

function anotherAttempt(record: DrainRecord, { nowMs, settings }: DrainContext): DrainRecord {
  const { retryAtMs: _, ...rest } = record;
  const spentMs = Math.round(drainAgeMs(record, nowMs, settings));
  const next = { ...rest, attempts: record.attempts + 1, attemptBeganMs: nowMs };
  return spentMs === 0 ? next : { ...next, spentMs };
}

/** The node is cordoned now. */
function withoutCordonError({ cordonError: _, ...record }: DrainRecord): DrainRecord {
  return record;
}

/** The node is cordoned; its pods are to be evicted. */
function evictPods(context: DrainContext, record: DrainRecord): DrainStep {
  const { settings, nowMs, pods, refusals } = context;
  if (pods === undefined) return { kind: 'list' };
  const { staying, leaving } = podsToMove(pods, context.daemonSetExists);
  const left = [...staying, ...leaving];
  if (left.length === 0) return isListOutdated(context) ? { kind: 'list' } : complete(context.node, record);
  const { lastRefusal } = record;
  if (lastRefusal !== undefined && !staying.some((pod) => isRefused(pod, lastRefusal))) {
    return progress(context, record);
  }
  if (record.retryAtMs !== undefined) {
    const delayMs = record.retryAtMs - nowMs;
    const isRelaxed = staying.some(({ uid }) => refusals?.get(uid)?.isRelaxed === true);
    // A time further away than our longest delay was written by another clock.
    if (delayMs <= 0 || delayMs > settings.slowRetryMs || isRelaxed) return nextAttempt(context, record);
    return { kind: 'wait', pods: left, delayMs, why: 'the next drain attempt is not due yet' };
  }
  if (record.attemptBeganMs > nowMs) return nextAttempt(context, record);
  const remainingMs = record.attemptBeganMs + settings.attemptMs - nowMs;
  if (isAbandoned(record, nowMs, settings)) return nextAttempt(context, record);
  if (remainingMs <= 0) return backOff(context, record, { staying, leaving });
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
  return { kind: 'wait', pods: left, delayMs: nextMs, why: 'pods are terminating' };
}

/**
 * A list from before the cordon may lack the latest pods, and an answer cannot be withdrawn. As long as the node is
 * unchanged since its pods were listed, they were listed under this cordon; a watch then shows later ones in order.
 */
function isListOutdated({ node, listedAtVersion }: DrainContext): boolean {
  const version = optionalStringAt(node.metadata, 'resourceVersion');
  return listedAtVersion !== undefined && listedAtVersion !== version;
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

/** The pod that blocked the drain has gone: its refusal no longer holds, and the next attempt need not wait. */
function progress(context: DrainContext, record: DrainRecord): DrainStep {
  const { lastRefusal, refusedSinceMs: _, isRefusalWarned: __, lastError: ___, ...rest } = record;
  const next = rest.retryAtMs === undefined ? rest : anotherAttempt(rest, context);
  return write(
    'progress',
    `node ${nameOf(context.node)}: pod ${lastRefusal?.namespace}/${lastRefusal?.pod} no longer blocks the drain`,
    {
      annotations: recorded(next),
    },
  );
}

function nextAttempt(context: DrainContext, record: DrainRecord): DrainStep {
  const { node, nowMs, settings } = context;
  const next = anotherAttempt(record, context);
  const change: NodeChange = { annotations: recorded(next) };
  if (!isOverdue(record, nowMs, settings)) {
    return write('attempt', `node ${nameOf(node)}: initiating drain, attempt ${next.attempts}`, change);
  }
  const limit = formatGoDuration(settings.overdueAfterMs);
  const message = `node ${nameOf(node)}: drain exceeded timeout: ${limit}. Will continue to retry.`;
  return write('attempt', message, change, [{ type: 'Warning', reason: 'DrainFailed', message }]);
}

function backOff(
  { nowMs, settings }: DrainContext,
  record: DrainRecord,
  left: { readonly staying: readonly PodReference[]; readonly leaving: readonly PodReference[] },
): DrainStep {
  const lastError = drainError(left, record, settings);
  const delayMs = retryDelayMs(record, settings);
  const since = spellDuration(settings.slowAfterMs);
  const isFailing = isSlow(record, settings);
  const failed = isFailing ? `Drain failed. Drain has been failing for more than ${since}.` : 'Drain failed.';
  const message = `${failed} Waiting ${spellDuration(delayMs)} then retrying. Error message from drain: ${lastError}`;
  return write(
    'back-off',
    message,
    { annotations: recorded({ ...record, retryAtMs: nowMs + delayMs, lastError }) },
    isFailing ? [{ type: 'Warning', reason: 'DrainThresholdExceeded', message }] : [],
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
