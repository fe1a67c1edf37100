/**
 * One node of a pool: where it stands, where it goes, and what is in its way.
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
import { since } from './moment-text.ts';
import { hasRebooted, type Phase, phaseOf, underWaySince } from './node-phase.ts';

/**
 * `updated`: it has what its pool wants. `waiting`: it has something else, and has not been told to move. `moving`: it has
 * been told, and is on its way. `degraded`: its daemon says that something is wrong; it may be on its way all the same.
 */
type NodeState = 'updated' | 'waiting' | 'moving' | 'degraded';

export type NodeOverview = {
  readonly name: string;
  readonly state: NodeState;
  /** The rendered MachineConfig that it has, and the one that it was told to have; empty until it says so. */
  readonly current: string;
  readonly desired: string;
  /** What it is doing, while it is moving, or degraded on its way. */
  readonly phase?: Phase;
  /** Since when it is in this phase. */
  readonly phaseSince?: string;
  /** Since when it is on its way. */
  readonly movingSince?: string;
  /** Whether it has rebooted on its way. */
  readonly hasRebooted?: true;
  /** What keeps its drain from ending. */
  readonly blockage?: Blockage;
  readonly failure?: NodeFailure;
  /** Why it cannot take work, other than by a cordon. */
  readonly notReady?: { readonly message: string; readonly since?: string };
  /** Whose cordon it bears: ours, for the time of an update, or that of somebody else, which we never take away. */
  readonly cordonedBy?: 'millwright' | 'other';
  /** Another one means that it has rebooted. */
  readonly bootId?: string;
};

/** A drain that goes on, and what was in its way at last. */
export type Blockage = {
  /** The pod that was not let go, where one was refused. */
  readonly pod?: { readonly namespace: string; readonly name: string };
  /** The disruption budget that keeps it; several, separated by commas. */
  readonly budget?: string;
  /** What the server said, or how the last attempt ended. */
  readonly message: string;
  readonly attempts: number;
  /** When the next attempt begins, while there is none under way. */
  readonly retryAt?: string;
};

/** `unreconcilable`: no attempt will help, only another configuration. */
export type NodeFailure = {
  readonly kind: 'degraded' | 'unreconcilable';
  readonly message: string;
  readonly since?: string;
};

export function nodeOverview(
  node: Node,
  contribution: Contribution,
  record: MachineConfigNode | undefined,
): NodeOverview {
  const state = stateOf(node, contribution);
  const desired = annotationOf(node, annotations.desiredConfig) ?? '';
  const current = annotationOf(node, annotations.currentConfig) ?? '';
  const isUnderWay = state === 'moving' || isFailing(node);
  const failure = state === 'degraded' ? failureOf(node, contribution, record) : undefined;
  const notReady = notReadyOf(node);
  const bootId = stringAt(node.status, 'nodeInfo', 'bootID');
  return {
    name: nameOf(node),
    state,
    current,
    desired,
    ...(isUnderWay ? wayOf(node, record) : {}),
    ...(failure === undefined ? {} : { failure }),
    ...(notReady === undefined ? {} : { notReady }),
    ...(isCordoned(node) ? { cordonedBy: cordonHolder(node, drainState(node).record) } : {}),
    ...(bootId === '' ? {} : { bootId }),
  };
}

function stateOf(node: Node, { isDegraded, isUpdated }: Contribution): NodeState {
  if (isDegraded) return 'degraded';
  if (isUpdated) return 'updated';
  return isDone(node) ? 'waiting' : 'moving';
}

function wayOf(node: Node, record: MachineConfigNode | undefined): Partial<NodeOverview> {
  const { phase, since: phaseSince } = phaseOf(node, record);
  const movingSince = underWaySince(record);
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

function blockageOf({ lastRefusal, lastError, attempts, retryAtMs }: DrainRecord): Blockage | undefined {
  const message = lastRefusal?.message ?? lastError;
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

/** The annotation is the error itself; a MachineConfigNode says it with words around it. */
function failureOf(
  node: Node,
  { complaints }: Contribution,
  record: MachineConfigNode | undefined,
): NodeFailure {
  const isHopeless = annotationOf(node, annotations.state) === 'Unreconcilable';
  const condition = objectsAt(record?.status, 'conditions').find(
    ({ type, status }) => type === 'NodeDegraded' && status === 'True',
  );
  return {
    kind: isHopeless ? 'unreconcilable' : 'degraded',
    message: complaints.ofAnnotation || complaints.ofMachineConfigNode || 'its daemon gives no reason',
    ...since(condition?.lastTransitionTime),
  };
}

/** Whether it can is for `rollout` to say; what its kubelet says of it is better known than the words there. */
function notReadyOf(node: Node): NodeOverview['notReady'] {
  const reason = unreadyReason({ ...node, spec: {} });
  if (reason === undefined) return undefined;
  const ready = objectsAt(node.status, 'conditions').find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'True') {
    return { message: reason.replace(`node ${nameOf(node)} is reporting `, '') };
  }
  return { message: stringAt(ready, 'message'), ...since(ready.lastTransitionTime) };
}
