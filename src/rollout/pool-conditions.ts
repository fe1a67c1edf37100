/**
 * The conditions of a pool.
 *
 * Each is computed from the present state, never from an earlier condition. Conditions of other writers are kept.
 */

import { annotations, type MachineConfigPool } from '../api/index.ts';
import { objectsAt, stringAt } from '../base/json-fields.ts';
import { quoted } from '../base/text/index.ts';
import { annotationOf, conditionOf, type LegacyCondition } from '../kubernetes/meta/index.ts';
import { type BuilderOutage, outageCondition } from './builder-outage.ts';
import type { ConditionUpdate } from './condition-update.ts';
import type { Contribution } from './contribution.ts';
import { imageBuildCondition, layeredUpdating } from './layered-conditions.ts';
import type { Layering } from './layering.ts';
import { type PoolTarget, targetLine } from './pool-target.ts';

type PoolFacts = {
  readonly pool: MachineConfigPool;
  readonly target: PoolTarget;
  readonly layering?: Layering;
  readonly outage?: BuilderOutage;
  readonly isAllUpdated: boolean;
  /** By name. */
  readonly degraded: readonly Contribution[];
};

export function poolConditions(facts: PoolFacts): readonly ConditionUpdate[] {
  const { pool, layering } = facts;
  const renderDegraded = renderCondition(pool);
  const nodeDegraded = nodeCondition(facts.degraded);
  const imageBuild = imageBuildCondition(pool, layering);
  const buildPending = outageCondition(pool, facts.outage);
  const hasBuildFailed = (imageBuild ?? conditionOf(pool, 'ImageBuildDegraded'))?.status === 'True';
  const pinnedDegraded = pinnedImagesCondition(pool);
  const isBlocked = holds(renderDegraded) || holds(nodeDegraded) || holds(pinnedDegraded);
  const degraded = holds(renderDegraded) || holds(nodeDegraded) || hasBuildFailed;
  return [
    renderDegraded,
    updatedCondition(facts),
    (layering && layeredUpdating({ ...facts, layering, isBlocked })) ?? updatingCondition(facts),
    nodeDegraded,
    pinnedDegraded,
    ...(imageBuild === undefined ? [] : [imageBuild]),
    ...(buildPending === undefined ? [] : [buildPending]),
    condition(
      'Degraded',
      degraded,
      nodeDegraded.message || (hasBuildFailed ? 'Custom OS image build failed' : ''),
    ),
  ];
}

/** Times move only with the status. A condition keeps its position, new ones come last, and each type occurs once. */
export function withTransitionTimes(
  before: readonly LegacyCondition[] | undefined,
  updates: readonly ConditionUpdate[],
  now: string,
): readonly LegacyCondition[] {
  const byType = new Map<string, LegacyCondition>();
  for (const condition of objectsAt(before)) {
    const type = stringAt(condition, 'type');
    if (!byType.has(type)) byType.set(type, condition);
  }
  for (const next of updates) {
    const last = byType.get(next.type);
    const isSame = last?.status === next.status && typeof last.lastTransitionTime === 'string';
    byType.set(next.type, { ...next, lastTransitionTime: isSame ? last.lastTransitionTime : now });
  }
  return [...byType.values()];
}

/** A pool without a configuration is never updated. */
function updatedCondition({ isAllUpdated, target }: PoolFacts): ConditionUpdate {
  return condition(
    'Updated',
    isAllUpdated,
    isAllUpdated ? `All nodes are updated with ${targetLine(target)}` : '',
  );
}

function updatingCondition({ pool, isAllUpdated, target }: PoolFacts): ConditionUpdate {
  if (isAllUpdated || target.config === '') return condition('Updating', false, '');
  if (pool.spec?.paused === true) {
    return condition('Updating', false, `Pool is paused; will not update to ${targetLine(target)}`);
  }
  return condition('Updating', true, `All nodes are updating to ${targetLine(target)}`);
}

/** The render controller reports by an annotation: the status has one writer. */
function renderCondition(pool: MachineConfigPool): ConditionUpdate {
  const problem = annotationOf(pool, annotations.renderProblem);
  return condition('RenderDegraded', problem !== undefined, problem ?? '');
}

/** As above, by the controller that selects them. Nodes that cannot pull an image do not make their pool degraded. */
function pinnedImagesCondition(pool: MachineConfigPool): ConditionUpdate {
  const problem = annotationOf(pool, annotations.pinnedImageSetsProblem);
  return condition('PinnedImageSetsDegraded', problem !== undefined, problem ?? '');
}

/** Further nodes are only counted: messages of thousands would not fit into an object. */
const MAX_QUOTED_NODES = 50;

function nodeCondition(degraded: readonly Contribution[]): ConditionUpdate {
  if (degraded.length === 0) return condition('NodeDegraded', false, '');
  const shown = degraded.slice(0, MAX_QUOTED_NODES);
  const texts = [
    ...shown.map(({ name, errors }) => reporting(name, errors.machineConfigNode)),
    ...shown.map(({ name, errors }) => reporting(name, errors.annotation)),
  ].filter((text) => text !== '');
  const more = degraded.length - shown.length;
  return {
    type: 'NodeDegraded',
    status: 'True',
    reason: `${degraded.length} nodes are reporting degraded status on sync`,
    message: [...texts, ...(more > 0 ? [`and ${more} more nodes`] : [])].join(', '),
  };
}

function reporting(name: string, error: string): string {
  return error === '' ? '' : `Node ${name} is reporting: ${quoted(error)}`;
}

function condition(type: string, isTrue: boolean, message: string): ConditionUpdate {
  return { type, status: isTrue ? 'True' : 'False', reason: '', message };
}

function holds({ status }: ConditionUpdate): boolean {
  return status === 'True';
}
