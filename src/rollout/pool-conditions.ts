/**
 * The conditions of a pool: what is true of it now, and in which words.
 *
 * Each is computed from the present state, never from what was said before. Conditions of others are kept as they are.
 */

import { annotations, type MachineConfigPool } from '../api/index.ts';
import { objectsAt, stringAt } from '../base/json-fields.ts';
import { quoted } from '../base/text/index.ts';
import {
  annotationOf,
  conditionOf,
  hasTrueCondition,
  type LegacyCondition,
} from '../kubernetes/meta/index.ts';
import type { Contribution } from './contribution.ts';
import { imageBuildCondition, layeredUpdating } from './layered-conditions.ts';
import type { Layering } from './layering.ts';
import { type PoolTarget, targetLine } from './pool-target.ts';
import type { Saying } from './saying.ts';

type PoolFacts = {
  readonly pool: MachineConfigPool;
  readonly target: PoolTarget;
  readonly layering?: Layering;
  readonly isAllUpdated: boolean;
  /** By name. */
  readonly degraded: readonly Contribution[];
};

export function poolSayings(facts: PoolFacts): readonly Saying[] {
  const { pool, layering } = facts;
  const renderDegraded = renderCondition(pool);
  const nodeDegraded = nodeCondition(facts.degraded);
  const imageBuild = imageBuildCondition(pool, layering);
  const hasBuildFailed = (imageBuild ?? conditionOf(pool, 'ImageBuildDegraded'))?.status === 'True';
  const isHeldBack =
    isTrue(renderDegraded) || isTrue(nodeDegraded) || hasTrueCondition(pool, 'PinnedImageSetsDegraded');
  const degraded = isTrue(renderDegraded) || isTrue(nodeDegraded) || hasBuildFailed;
  return [
    renderDegraded,
    updatedCondition(facts),
    (layering && layeredUpdating({ ...facts, layering, isHeldBack })) ?? updatingCondition(facts),
    nodeDegraded,
    ...(imageBuild === undefined ? [] : [imageBuild]),
    saying(
      'Degraded',
      degraded,
      nodeDegraded.message || (hasBuildFailed ? 'Custom OS image build failed' : ''),
    ),
  ];
}

/** Times move only with the status. A condition keeps its place, new ones come last, and a type is there once. */
export function withTimes(
  before: readonly LegacyCondition[] | undefined,
  sayings: readonly Saying[],
  now: string,
): readonly LegacyCondition[] {
  const place = new Map<string, LegacyCondition>();
  for (const condition of objectsAt(before)) {
    const type = stringAt(condition, 'type');
    if (!place.has(type)) place.set(type, condition);
  }
  for (const next of sayings) {
    const last = place.get(next.type);
    const isSame = last?.status === next.status && typeof last.lastTransitionTime === 'string';
    place.set(next.type, { ...next, lastTransitionTime: isSame ? last.lastTransitionTime : now });
  }
  return [...place.values()];
}

/** A pool without a configuration has nothing to be updated with. */
function updatedCondition({ isAllUpdated, target }: PoolFacts): Saying {
  return saying(
    'Updated',
    isAllUpdated,
    isAllUpdated ? `All nodes are updated with ${targetLine(target)}` : '',
  );
}

function updatingCondition({ pool, isAllUpdated, target }: PoolFacts): Saying {
  if (isAllUpdated || target.config === '') return saying('Updating', false, '');
  if (pool.spec?.paused === true) {
    return saying('Updating', false, `Pool is paused; will not update to ${targetLine(target)}`);
  }
  return saying('Updating', true, `All nodes are updating to ${targetLine(target)}`);
}

/** The render controller leaves its word on the pool: the status has one writer. */
function renderCondition(pool: MachineConfigPool): Saying {
  const problem = annotationOf(pool, annotations.renderProblem);
  return saying('RenderDegraded', problem !== undefined, problem ?? '');
}

/** More nodes than this are counted and not quoted: a text of thousands would not fit into an object. */
const MAX_QUOTED_NODES = 50;

function nodeCondition(degraded: readonly Contribution[]): Saying {
  if (degraded.length === 0) return saying('NodeDegraded', false, '');
  const shown = degraded.slice(0, MAX_QUOTED_NODES);
  const texts = [
    ...shown.map(({ name, complaints }) => reporting(name, complaints.ofMachineConfigNode)),
    ...shown.map(({ name, complaints }) => reporting(name, complaints.ofAnnotation)),
  ].filter((text) => text !== '');
  const more = degraded.length - shown.length;
  return {
    type: 'NodeDegraded',
    status: 'True',
    reason: `${degraded.length} nodes are reporting degraded status on sync`,
    message: [...texts, ...(more > 0 ? [`and ${more} more nodes`] : [])].join(', '),
  };
}

function reporting(name: string, complaint: string): string {
  return complaint === '' ? '' : `Node ${name} is reporting: ${quoted(complaint)}`;
}

function saying(type: string, isSo: boolean, message: string): Saying {
  return { type, status: isSo ? 'True' : 'False', reason: '', message };
}

function isTrue({ status }: Saying): boolean {
  return status === 'True';
}
