/**
 * Summary of a node of a pool: its configs, its progress, and what blocks it.
 */

import { annotations, type MachineConfigNode } from '../api/index.ts';
import { objectsAt, stringAt } from '../base/json-fields.ts';
import { annotationOf, nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import {
  type Contribution,
  cordonHolder,
  type DrainRecord,
  drainState,
  isCordoned,
  isDone,
  isFailing,
  unreadyReason,
} from '../rollout/index.ts';
import { hasRebooted, type Phase, phaseOf, updatingSince } from './node-phase.ts';
import { type Overdue, overdueReboot } from './overdue-reboot.ts';
import { type PinnedImages, pinnedImages } from './pinned-images.ts';
import { since } from './timestamp.ts';

/**
 * `updated`: it has the target config of its pool. `waiting`: it does not, and its update has not started. `moving`: it is
 * updating. `degraded`: its daemon reports an error; it may be updating nevertheless. `without-daemon`: no daemon has ever
 * reported from it, so it is not updated.
 */
type NodeState = 'updated' | 'waiting' | 'moving' | 'degraded' | 'without-daemon';

export type NodeSummary = {
  readonly name: string;
  readonly state: NodeState;
  /** The names of the current and desired rendered MachineConfig; empty until reported. */
  readonly current: string;
  readonly desired: string;
  /** The phase of the update, while there is one. */
  readonly phase?: Phase;
  /** Start of the phase. */
  readonly phaseSince?: string;
  /** Start of the update. */
  readonly movingSince?: string;
  /** Whether it has rebooted during the update. */
  readonly hasRebooted?: true;
  /** What blocks its drain. */
  readonly blockage?: Blockage;
  /** It has not come back from its reboot in time. */
  readonly overdue?: Overdue;
  readonly failure?: NodeFailure;
  /** Why it is unavailable, other than a cordon. */
  readonly notReady?: { readonly message: string; readonly since?: string };
  /** Who cordoned it: Millwright for an update, or another client, whose cordon is never removed. */
  readonly cordonedBy?: 'millwright' | 'other';
  /** Images that it should keep and has not, or not yet. */
  readonly images?: PinnedImages;
  /** Changes with every boot. */
  readonly bootId?: string;
};

/** The last obstacle of a running drain. */
export type Blockage = {
  /** The pod whose eviction was rejected. */
  readonly pod?: { readonly namespace: string; readonly name: string };
  /** The PodDisruptionBudget that rejected it; several are separated by commas. */
  readonly budget?: string;
  /** The message of the server, or the error of the last attempt. */
  readonly message: string;
  readonly attempts: number;
  /** Start of the next attempt, unless one is running. */
  readonly retryAt?: string;
};

/** `unreconcilable`: only another configuration helps, not a retry. */
export type NodeFailure = {
  readonly kind: 'degraded' | 'unreconcilable';
  readonly message: string;
  readonly since?: string;
};

export function nodeSummary(
  node: Node,
  contribution: Contribution,
  record: MachineConfigNode | undefined,
  nowMs: number,
): NodeSummary {
  const state = stateOf(node, contribution);
  const desired = annotationOf(node, annotations.desiredConfig) ?? '';
  const current = annotationOf(node, annotations.currentConfig) ?? '';
  const isUpdating = state === 'moving' || isFailing(node);
  const failure = state === 'degraded' ? failureOf(node, contribution, record) : undefined;
  const notReady = notReadyOf(node);
  const progress = isUpdating ? updateProgress(node, record) : {};
  const overdue = overdueReboot({ ...progress, ...(notReady && { notReady }) }, nowMs);
  const images = pinnedImages(record);
  const bootId = stringAt(node.status, 'nodeInfo', 'bootID');
  return {
    name: nameOf(node),
    state,
    current,
    desired,
    ...progress,
    ...(overdue === undefined ? {} : { overdue }),
    ...(failure === undefined ? {} : { failure }),
    ...(notReady === undefined ? {} : { notReady }),
    ...(isCordoned(node) ? { cordonedBy: cordonHolder(node, drainState(node).record) } : {}),
    ...(images === undefined ? {} : { images }),
    ...(bootId === '' ? {} : { bootId }),
  };
}

function stateOf(node: Node, { isDegraded, isUpdated, isWithoutDaemon }: Contribution): NodeState {
  if (isDegraded) return 'degraded';
  if (isUpdated) return 'updated';
  if (isWithoutDaemon) return 'without-daemon';
  return isDone(node) ? 'waiting' : 'moving';
}

function updateProgress(node: Node, record: MachineConfigNode | undefined): Partial<NodeSummary> {
  const { phase, since: phaseSince } = phaseOf(node, record);
  const movingSince = updatingSince(record);
  const { record: drain } = drainState(node);
  const blockage = phase === 'draining' && drain !== undefined ? blockageOf(drain) : undefined;
  return {
    phase,
    ...(phaseSince === undefined ? {} : { phaseSince }),
    ...(movingSince === undefined ? {} : { movingSince }),
    ...(hasRebooted(record) ? { hasRebooted: true } : {}),
    ...(blockage === undefined ? {} : { blockage }),
  };
}

function blockageOf(drain: DrainRecord): Blockage | undefined {
  const { lastRefusal, lastError, cordonError, attempts, retryAtMs } = drain;
  const message = cordonError?.message ?? lastRefusal?.message ?? lastError;
  if (message === undefined) return undefined;
  const retryAt = retryAtMs === undefined ? undefined : since(retryAtMs).since;
  return {
    ...(lastRefusal === undefined
      ? {}
      : { pod: { namespace: lastRefusal.namespace, name: lastRefusal.pod } }),
    ...(lastRefusal?.budget === undefined ? {} : { budget: lastRefusal.budget }),
    message,
    attempts,
    ...(retryAt === undefined ? {} : { retryAt }),
  };
}

/** Prefers the annotation, which has the bare error message, over the condition. */
function failureOf(node: Node, { errors }: Contribution, record: MachineConfigNode | undefined): NodeFailure {
  const isUnreconcilable = annotationOf(node, annotations.state) === 'Unreconcilable';
  const condition = objectsAt(record?.status, 'conditions').find(
    ({ type, status }) => type === 'NodeDegraded' && status === 'True',
  );
  return {
    kind: isUnreconcilable ? 'unreconcilable' : 'degraded',
    message: errors.annotation || errors.machineConfigNode || 'no reason reported by its daemon',
    ...since(condition?.lastTransitionTime),
  };
}

/** `rollout` decides whether it is ready; the message of the kubelet is preferred. */
function notReadyOf(node: Node): NodeSummary['notReady'] {
  const reason = unreadyReason({ ...node, spec: {} });
  if (reason === undefined) return undefined;
  const ready = objectsAt(node.status, 'conditions').find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'True') {
    return { message: reason.replace(`node ${nameOf(node)} is reporting `, '') };
  }
  return { message: stringAt(ready, 'message'), ...since(ready.lastTransitionTime) };
}
