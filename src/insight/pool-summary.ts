/**
 * Summary of a pool: its progress, its problems and its nodes.
 */

import type { MachineConfigNode, MachineConfigPool, MachineConfigPoolStatus } from '../api/index.ts';
import { formatProblem } from '../base/errors.ts';
import { objectsAt, optionalStringAt, stringAt } from '../base/json-fields.ts';
import { type LegacyCondition, nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import {
  isSelectingAll,
  type Layering,
  maxUnavailable,
  nodeSelectorProblem,
  poolStatus,
  reportedOutage,
  SELECTING_ALL,
  tallyOf,
  targetOf,
} from '../rollout/index.ts';
import { type NodeSummary, nodeSummary } from './node-summary.ts';
import { since } from './timestamp.ts';

/**
 * The most severe state that applies. `broken-render`: rendering fails, so changes are not rolled out. `degraded`: nodes or
 * the image build fail. `misconfigured`: its spec is invalid. `unrendered`: it has no configuration yet. `paused`: no
 * updates start. `unavailable`: its condition Updated is true, but some nodes are unavailable or joining.
 */
export type PoolState =
  | 'updated'
  | 'updating'
  | 'unavailable'
  | 'paused'
  | 'unrendered'
  | 'misconfigured'
  | 'degraded'
  | 'broken-render';

export type PoolSummary = {
  readonly name: string;
  readonly state: PoolState;
  /** Last transition of the condition for this state. */
  readonly since?: string;
  readonly isPaused: boolean;
  /** Whether its condition Updated is true. */
  readonly isUpdated: boolean;
  /** The name of the target rendered MachineConfig; empty until there is one. */
  readonly target: string;
  /** The resolved number of nodes; absent if the setting is invalid. */
  readonly maxUnavailable?: number;
  readonly counts: PoolCounts;
  readonly troubles: readonly PoolProblem[];
  /** What a pool with an image build waits for. */
  readonly waitsFor?: string;
  /** By name. */
  readonly nodes: readonly NodeSummary[];
  /** The code of what holds it up, as the doctor names it; only `withCauses` adds it. */
  readonly cause?: string;
};

/** The first five are counts of the pool's status. */
export type PoolCounts = {
  readonly machines: number;
  readonly updated: number;
  readonly ready: number;
  readonly unavailable: number;
  readonly degraded: number;
  readonly moving: number;
  readonly waiting: number;
  readonly withoutDaemon: number;
  /** Not back from their reboot in time. */
  readonly overdue: number;
};

/** `reason` is that of the condition, if any. */
export type PoolProblem = {
  readonly kind: 'render' | 'nodes' | 'image-build' | 'pinned-images' | 'spec';
  readonly reason: string;
  readonly message: string;
  readonly since?: string;
};

type PoolSnapshot = {
  readonly pool: MachineConfigPool;
  /** Its members, by name. */
  readonly nodes: readonly Node[];
  readonly recordOf: (node: string) => MachineConfigNode | undefined;
  readonly layering: Layering | undefined;
  readonly nowMs: number;
};

export function poolSummary({ pool, nodes, recordOf, layering, nowMs }: PoolSnapshot): PoolSummary {
  // As the status of the pool reports it: only the controller reads the Lease of the builder.
  const outage = layering === undefined ? undefined : reportedOutage(pool);
  const sum = tallyOf(targetOf(pool, layering), nodes, recordOf);
  const status = poolStatus({
    pool,
    sum,
    nowMs,
    ...(layering === undefined ? {} : { layering }),
    ...(outage === undefined ? {} : { outage }),
  });
  const members = nodes.flatMap((node) => {
    const contribution = sum.contribution(nameOf(node));
    return contribution === undefined ? [] : [nodeSummary(node, contribution, recordOf(nameOf(node)), nowMs)];
  });
  const inState = (state: NodeSummary['state']) => members.filter((node) => node.state === state).length;
  const limit = maxUnavailable(pool, nodes.length);
  const draft = {
    name: nameOf(pool),
    isPaused: pool.spec?.paused === true,
    isUpdated: isTrue(status, 'Updated'),
    target: sum.target.config,
    ...(limit.kind === 'ok' ? { maxUnavailable: limit.value } : {}),
    counts: {
      machines: sum.counts.machineCount,
      updated: sum.counts.updatedMachineCount,
      ready: sum.counts.readyMachineCount,
      unavailable: sum.counts.unavailableMachineCount,
      degraded: sum.counts.degradedMachineCount,
      moving: inState('moving'),
      waiting: inState('waiting'),
      withoutDaemon: inState('without-daemon'),
      overdue: members.filter(({ overdue }) => overdue !== undefined).length,
    },
    troubles: [...conditionProblems(pool, status), ...specProblems(pool, nodes.length)],
    ...waitsFor(status, layering),
    nodes: members,
  };
  const state = stateOf(draft);
  return { ...draft, state, ...sinceOf(pool, status, state) };
}

function stateOf(draft: Omit<PoolSummary, 'state'>): PoolState {
  const { troubles, counts } = draft;
  const has = (...kinds: readonly PoolProblem['kind'][]) => troubles.some(({ kind }) => kinds.includes(kind));
  if (has('render')) return 'broken-render';
  if (has('nodes', 'image-build')) return 'degraded';
  if (has('spec')) return 'misconfigured';
  if (draft.isPaused) return 'paused';
  if (draft.target === '') return 'unrendered';
  if (!draft.isUpdated) return 'updating';
  return counts.unavailable > 0 ? 'unavailable' : 'updated';
}

const PROBLEM_CONDITIONS: readonly (readonly [type: string, kind: PoolProblem['kind']])[] = [
  ['RenderDegraded', 'render'],
  ['NodeDegraded', 'nodes'],
  ['ImageBuildDegraded', 'image-build'],
  ['PinnedImageSetsDegraded', 'pinned-images'],
];

function conditionProblems(pool: MachineConfigPool, status: MachineConfigPoolStatus): readonly PoolProblem[] {
  return PROBLEM_CONDITIONS.flatMap(([type, kind]) => {
    const condition = status.conditions?.find((one) => one.type === type);
    if (condition?.status !== 'True') return [];
    const field = (name: string) => stringAt(condition, name);
    return [{ kind, reason: field('reason'), message: field('message'), ...reportedSince(pool, condition) }];
  });
}

function specProblems(pool: MachineConfigPool, nodeCount: number): readonly PoolProblem[] {
  const selector = nodeSelectorProblem(pool);
  const limit = maxUnavailable(pool, nodeCount);
  const messages = [
    ...(isSelectingAll(pool) ? [SELECTING_ALL] : []),
    ...(selector === undefined ? [] : [formatProblem(selector)]),
    ...(limit.kind === 'invalid' ? limit.problems.map(formatProblem) : []),
  ];
  return messages.map((message) => ({ kind: 'spec', reason: '', message }));
}

/** Only pools with image builds need the condition: for others the nodes suffice. */
function waitsFor(
  status: MachineConfigPoolStatus,
  layering: Layering | undefined,
): { readonly waitsFor?: string } {
  const messageOf = (type: string) =>
    stringAt(
      status.conditions?.find((one) => one.type === type),
      'message',
    );
  const message = layering === undefined ? '' : messageOf('BuildPending') || messageOf('Updating');
  return message === '' ? {} : { waitsFor: message };
}

const CONDITION_OF: { readonly [state in PoolState]?: string } = {
  'broken-render': 'RenderDegraded',
  degraded: 'Degraded',
  updating: 'Updating',
  unavailable: 'Updated',
  updated: 'Updated',
};

function sinceOf(pool: MachineConfigPool, status: MachineConfigPoolStatus, state: PoolState) {
  const condition = status.conditions?.find(({ type }) => type === CONDITION_OF[state]);
  return condition?.status === 'True' ? reportedSince(pool, condition) : {};
}

/** Only conditions in the written status have a stable time. */
function reportedSince(
  pool: MachineConfigPool,
  { type, status }: LegacyCondition,
): { readonly since?: string } {
  const reported = objectsAt(pool.status, 'conditions').find((one) => optionalStringAt(one, 'type') === type);
  return reported !== undefined && reported.status === status ? since(reported.lastTransitionTime) : {};
}

function isTrue(status: MachineConfigPoolStatus, type: string): boolean {
  return status.conditions?.find((one) => one.type === type)?.status === 'True';
}
