/**
 * One pool: how far it has come, what is wrong with it, and its nodes.
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
  SELECTING_ALL,
  tallyOf,
  targetOf,
} from '../rollout/index.ts';
import { since } from './moment-text.ts';
import { type NodeOverview, nodeOverview } from './node-overview.ts';

/**
 * The worst that is true of the pool. `broken-render`: there is no way to render it, so changes do not reach it. `degraded`:
 * nodes or the build of its image fail. `misconfigured`: its own spec makes no sense. `unrendered`: it has no configuration
 * yet. `paused`: no node is sent anywhere. `unavailable`: all nodes have what is wanted, but not all take work, for which
 * its conditions say Updating.
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

export type PoolOverview = {
  readonly name: string;
  readonly state: PoolState;
  /** Since when its conditions say so. */
  readonly since?: string;
  readonly isPaused: boolean;
  /** Whether its condition Updated is true. */
  readonly isUpdated: boolean;
  /** The rendered MachineConfig that its nodes are to have; empty until there is one. */
  readonly target: string;
  /** How many of its nodes may be out of service at once; absent where the setting makes no sense. */
  readonly maxUnavailable?: number;
  readonly counts: PoolCounts;
  readonly troubles: readonly PoolTrouble[];
  /** What a pool that builds its own OS image waits for. */
  readonly waitsFor?: string;
  /** By name. */
  readonly nodes: readonly NodeOverview[];
};

/** The first five are those of the pool's status. */
export type PoolCounts = {
  readonly machines: number;
  readonly updated: number;
  readonly ready: number;
  readonly unavailable: number;
  readonly degraded: number;
  readonly moving: number;
  readonly waiting: number;
};

/** `reason` is that of the condition, where it has one. */
export type PoolTrouble = {
  readonly kind: 'render' | 'nodes' | 'image-build' | 'pinned-images' | 'spec';
  readonly reason: string;
  readonly message: string;
  readonly since?: string;
};

type Seen = {
  readonly pool: MachineConfigPool;
  /** Its members, by name. */
  readonly nodes: readonly Node[];
  readonly recordOf: (node: string) => MachineConfigNode | undefined;
  readonly layering: Layering | undefined;
  readonly nowMs: number;
};

export function poolOverview({ pool, nodes, recordOf, layering, nowMs }: Seen): PoolOverview {
  const sum = tallyOf(targetOf(pool, layering), nodes, recordOf);
  const status = poolStatus({ pool, sum, nowMs, ...(layering === undefined ? {} : { layering }) });
  const members = nodes.flatMap((node) => {
    const contribution = sum.contribution(nameOf(node));
    return contribution === undefined ? [] : [nodeOverview(node, contribution, recordOf(nameOf(node)))];
  });
  const inState = (state: NodeOverview['state']) => members.filter((node) => node.state === state).length;
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
    },
    troubles: [...conditionTroubles(pool, status), ...specTroubles(pool, nodes.length)],
    ...waitsFor(status, layering),
    nodes: members,
  };
  const state = stateOf(draft);
  return { ...draft, state, ...sinceOf(pool, status, state) };
}

function stateOf(draft: Omit<PoolOverview, 'state'>): PoolState {
  const { troubles, counts } = draft;
  const has = (...kinds: readonly PoolTrouble['kind'][]) => troubles.some(({ kind }) => kinds.includes(kind));
  if (has('render')) return 'broken-render';
  if (has('nodes', 'image-build')) return 'degraded';
  if (has('spec')) return 'misconfigured';
  if (draft.isPaused) return 'paused';
  if (draft.target === '') return 'unrendered';
  if (draft.isUpdated) return 'updated';
  return counts.machines > 0 && counts.updated === counts.machines ? 'unavailable' : 'updating';
}

const TROUBLES: readonly (readonly [type: string, kind: PoolTrouble['kind']])[] = [
  ['RenderDegraded', 'render'],
  ['NodeDegraded', 'nodes'],
  ['ImageBuildDegraded', 'image-build'],
  ['PinnedImageSetsDegraded', 'pinned-images'],
];

function conditionTroubles(pool: MachineConfigPool, status: MachineConfigPoolStatus): readonly PoolTrouble[] {
  return TROUBLES.flatMap(([type, kind]) => {
    const condition = status.conditions?.find((one) => one.type === type);
    if (condition?.status !== 'True') return [];
    const said = (field: string) => stringAt(condition, field);
    return [{ kind, reason: said('reason'), message: said('message'), ...toldSince(pool, condition) }];
  });
}

function specTroubles(pool: MachineConfigPool, nodeCount: number): readonly PoolTrouble[] {
  const selector = nodeSelectorProblem(pool);
  const limit = maxUnavailable(pool, nodeCount);
  const messages = [
    ...(isSelectingAll(pool) ? [SELECTING_ALL] : []),
    ...(selector === undefined ? [] : [formatProblem(selector)]),
    ...(limit.kind === 'invalid' ? limit.problems.map(formatProblem) : []),
  ];
  return messages.map((message) => ({ kind: 'spec', reason: '', message }));
}

/** Only pools that build images say more than what is plain from their nodes. */
function waitsFor(
  status: MachineConfigPoolStatus,
  layering: Layering | undefined,
): { readonly waitsFor?: string } {
  const updating = status.conditions?.find(({ type }) => type === 'Updating');
  const message = stringAt(updating, 'message');
  return layering === undefined || message === '' ? {} : { waitsFor: message };
}

const CONDITION_OF: { readonly [state in PoolState]?: string } = {
  'broken-render': 'RenderDegraded',
  degraded: 'Degraded',
  updating: 'Updating',
  unavailable: 'Updating',
  updated: 'Updated',
};

function sinceOf(pool: MachineConfigPool, status: MachineConfigPoolStatus, state: PoolState) {
  const condition = status.conditions?.find(({ type }) => type === CONDITION_OF[state]);
  return condition?.status === 'True' ? toldSince(pool, condition) : {};
}

/** What has not been written yet has no time: it would be another one with each look. */
function toldSince(pool: MachineConfigPool, { type, status }: LegacyCondition): { readonly since?: string } {
  const told = objectsAt(pool.status, 'conditions').find((one) => optionalStringAt(one, 'type') === type);
  return told !== undefined && told.status === status ? since(told.lastTransitionTime) : {};
}

function isTrue(status: MachineConfigPoolStatus, type: string): boolean {
  return status.conditions?.find((one) => one.type === type)?.status === 'True';
}
