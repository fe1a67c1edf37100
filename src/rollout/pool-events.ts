/**
 * The events of a rollout. They are recorded about the pool unless noted otherwise, by the component `ROLLOUT_COMPONENT`.
 */

import { annotations, type MachineConfigPool, type MachineConfigPoolStatus } from '../api/index.ts';
import { formatProblem, type Problem } from '../base/errors.ts';
import { annotationOf, hasTrueCondition, nameOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { isDone } from './node-state.ts';
import { SELECTING_ALL } from './pool-gate.ts';
import { type PoolTarget, targetLine } from './pool-target.ts';
import type { RolloutEvent } from './rollout-event.ts';

/** One for the whole batch, which must not be empty. */
export function targetingEvent(nodes: readonly string[], { config, layered }: PoolTarget): RolloutEvent {
  const [name] = nodes;
  const who = nodes.length === 1 ? `Targeted node ${name}` : `Set target for ${nodes.length} nodes`;
  const what = `${who} to MachineConfig: ${layered?.config ?? config}`;
  const image = layered?.image ?? '';
  return image === ''
    ? normal('SetDesiredConfig', what)
    : normal('SetDesiredConfigAndOSImage', `${what} / Image: ${image}`);
}

/**
 * Changed annotations of a control plane node; none at the end of an update, which has its own event. An empty one says as
 * much as none.
 */
export function annotationEvents(before: Node, after: Node): readonly RolloutEvent[] {
  if (isDone(after) && !isDone(before)) return [];
  return REPORTED_KEYS.flatMap((key) => {
    const value = annotationOf(after, key) ?? '';
    if (value === (annotationOf(before, key) ?? '')) return [];
    const name = nameOf(after);
    const message =
      value === '' ? `Node ${name} no longer has ${key}` : `Node ${name} now has ${key}=${value}`;
    return [normal('AnnotationChange', message)];
  });
}

const REPORTED_KEYS = [
  annotations.currentConfig,
  annotations.desiredConfig,
  annotations.state,
  annotations.reason,
  annotations.currentImage,
  annotations.desiredImage,
] as const;

/** The events that follow from a new status of the pool, which was computed for this target. */
export function statusEvents(
  pool: MachineConfigPool,
  next: MachineConfigPoolStatus,
  target: PoolTarget,
): readonly RolloutEvent[] {
  const name = nameOf(pool);
  const line = targetLine(target);
  const reached = next.configuration?.name ?? '';
  // A pool without nodes reaches every target at once.
  if (next.machineCount === 0) return [];
  if (reached !== '' && reached !== (pool.status?.configuration?.name ?? '')) {
    return [normal('Completed', `Pool ${name} has completed update to ${line}`)];
  }
  const begins = !hasTrueCondition(pool, 'Updating') && hasTrueCondition({ status: next }, 'Updating');
  // A node that was applied again makes the pool Updating, but to no new target.
  return begins && target.config !== reached
    ? [normal('Updating', `Pool ${name} now targeting ${line}`)]
    : [];
}

/** Beyond these the message says how many more there are. */
const MAX_NAMED = 5;

/**
 * Where to look at nodes that have become degraded. The condition NodeDegraded quotes their errors; the MachineConfigNodes have the
 * phase that failed, and what came before. `degraded`: all that are.
 */
export function degradedEvents(
  pool: MachineConfigPool,
  next: MachineConfigPoolStatus,
  degraded: readonly string[],
): readonly RolloutEvent[] {
  if ((next.degradedMachineCount ?? 0) <= (pool.status?.degradedMachineCount ?? 0)) return [];
  const named = degraded.slice(0, MAX_NAMED);
  const more = degraded.length > MAX_NAMED ? ` and ${degraded.length - MAX_NAMED} more` : '';
  const message =
    degraded.length === 1
      ? `Node ${named[0]} is degraded: look at MachineConfigNode ${named[0]} (kubectl describe mcn ${named[0]})`
      : `${degraded.length} nodes are degraded: look at MachineConfigNodes ${named.join(', ')}${more} (kubectl describe mcn ${named.join(' ')})`;
  return [additional('NodeDegraded', message)];
}

export function deferralEvent(node: string): RolloutEvent {
  return normal('DeferringOperatorNodeUpdate', `Deferring update of machine config operator node ${node}`);
}

export const selectingAllEvent: RolloutEvent = warning('SelectingAll', SELECTING_ALL);

/** The message is that of the gate. */
export function missingConfigEvent(message: string): RolloutEvent {
  return additional('MissingMachineConfig', message);
}

/** About the node and every pool that selects it; the message is that of the membership. */
export function conflictEvent(message: string): RolloutEvent {
  return additional('ConflictingPools', message);
}

/** An invalid field of the pool's spec, or one whose value had to be adjusted. */
export function specEvent(problem: Problem): RolloutEvent {
  return additional('InvalidSpec', formatProblem(problem));
}

function normal(reason: string, message: string): RolloutEvent {
  return { type: 'Normal', reason, message };
}

/** Of ours. */
function additional(reason: string, message: string): RolloutEvent {
  return { ...warning(reason, message), isAdditional: true };
}

function warning(reason: string, message: string): RolloutEvent {
  return { type: 'Warning', reason, message };
}
