/**
 * The phase of an update that a node is in, and since when.
 *
 *     starting > preparing > cordoning > draining > applying … > post-action | rebooting > resuming > uncordoning > finishing
 *
 * Derived from the conditions of the MachineConfigNode. Annotations of the Node about drain, reboot and uncordon take
 * precedence: they are written first, and exist without a MachineConfigNode too.
 */

import { annotations, type MachineConfigNode } from '../api/index.ts';
import { objectsAt, stringAt } from '../base/json-fields.ts';
import { annotationOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { isFetching } from '../node/report/index.ts';
import { drainState, isCordoned, isManaged } from '../rollout/index.ts';
import { since } from './timestamp.ts';

export type Phase =
  /** Its daemon has not reported yet. */
  | 'joining'
  /** It has a new desired config, and its daemon has not reacted yet. */
  | 'starting'
  | 'preparing'
  | 'cordoning'
  | 'draining'
  | 'pulling-image'
  | 'applying-files'
  | 'applying-os'
  | 'applying-files-and-os'
  /** The disk is changed; services are reloaded or restarted, or a reboot is pending. */
  | 'post-action'
  | 'rebooting'
  | 'resuming'
  | 'uncordoning'
  | 'finishing'
  /** Unknown. */
  | 'working';

type PhaseInfo = { readonly phase: Phase; readonly since?: string };

/** For a node that is updating. */
export function phaseOf(node: Node, record: MachineConfigNode | undefined): PhaseInfo {
  if (!isManaged(node)) return { phase: 'joining' };
  const conditions = conditionsOf(record);
  const found = phaseOfNode(node, conditions) ?? phaseOfConditions(conditions) ?? { phase: 'working' };
  return isBeforeResumed(found, conditions) && isUncordonAnswered(node) ? { phase: 'uncordoning' } : found;
}

/** Start of the update; undefined until reported. */
export function updatingSince(record: MachineConfigNode | undefined): string | undefined {
  const updated = conditionsOf(record).get('Updated');
  return updated?.status === 'False' ? since(updated.time).since : undefined;
}

/** Whether the node has rebooted during the current update. */
export function hasRebooted(record: MachineConfigNode | undefined): boolean {
  return conditionsOf(record).get('RebootedNode')?.status === 'True';
}

type ConditionInfo = { readonly status: string; readonly message: string; readonly time: unknown };
type Conditions = ReadonlyMap<string, ConditionInfo>;

/** The first condition of each type. */
function conditionsOf(record: MachineConfigNode | undefined): Conditions {
  const conditions = new Map<string, ConditionInfo>();
  for (const condition of objectsAt(record?.status, 'conditions')) {
    const type = stringAt(condition, 'type');
    if (conditions.has(type)) continue;
    conditions.set(type, {
      status: stringAt(condition, 'status'),
      message: stringAt(condition, 'message'),
      time: condition.lastTransitionTime,
    });
  }
  return conditions;
}

/** From annotations: pending drain requests and announced reboots. */
function phaseOfNode(node: Node, conditions: Conditions): PhaseInfo | undefined {
  if (annotationOf(node, annotations.postConfigAction) === 'Rebooting') {
    return { phase: 'rebooting', ...timeOf(conditions.get('RebootedNode'), 'Unknown') };
  }
  const { isPending, request, currentRecord } = drainState(node);
  if (!isPending) return undefined;
  if (request?.verb === 'uncordon') {
    return { phase: 'uncordoning', ...timeOf(conditions.get('Resumed'), 'True') };
  }
  if (request?.verb !== 'drain') return undefined;
  if (currentRecord === undefined || !isCordoned(node)) {
    return { phase: 'cordoning', ...timeOf(conditions.get('UpdatePrepared'), 'True') };
  }
  return { phase: 'draining', ...since(currentRecord.beganMs) };
}

/** Whether its daemon has yet to report that it has resumed: after an update, and after it has joined without one. */
function isBeforeResumed({ phase }: PhaseInfo, conditions: Conditions): boolean {
  const prepared = conditions.get('UpdatePrepared')?.status ?? 'False';
  return phase === 'resuming' || (phase === 'preparing' && prepared === 'False');
}

/** The answer may come before that report, which the daemon writes after its request: the node does not go back to the phase before. */
function isUncordonAnswered(node: Node): boolean {
  const { isPending, request } = drainState(node);
  const desired = annotationOf(node, annotations.desiredConfig);
  return !isPending && request?.verb === 'uncordon' && request.config === desired;
}

/** From the last phase to the first: the first matching row decides. */
const CONDITIONS: readonly (readonly [type: string, status: string, phase: Phase])[] = [
  ['UpdateComplete', 'True', 'finishing'],
  ['Resumed', 'True', 'uncordoning'],
  ['RebootedNode', 'True', 'resuming'],
  ['UpdatePostActionComplete', 'True', 'resuming'],
  ['RebootedNode', 'Unknown', 'rebooting'],
  ['UpdatePostActionComplete', 'Unknown', 'post-action'],
  ['ImagePulledFromRegistry', 'Unknown', 'pulling-image'],
  ['AppliedFilesAndOS', 'Unknown', 'applying-files-and-os'],
  ['AppliedFiles', 'Unknown', 'applying-files'],
  ['AppliedOSImage', 'Unknown', 'applying-os'],
  ['UpdateExecuted', 'True', 'post-action'],
  ['Drained', 'Unknown', 'draining'],
  // It is about to change its disk, which is reported immediately afterwards.
  ['Drained', 'True', 'draining'],
  ['UpdateExecuted', 'Unknown', 'preparing'],
  ['UpdatePrepared', 'True', 'preparing'],
  ['UpdatePrepared', 'Unknown', 'preparing'],
  ['Updated', 'False', 'preparing'],
  ['Updated', 'True', 'starting'],
];

function phaseOfConditions(conditions: Conditions): PhaseInfo | undefined {
  const isBoth = ['AppliedFiles', 'AppliedOSImage'].every(
    (type) => conditions.get(type)?.status === 'Unknown',
  );
  const row = CONDITIONS.find(([type, status]) => conditions.get(type)?.status === status);
  if (row === undefined) return undefined;
  const [type, status, phase] = row;
  // The time of the condition would be that of the previous update.
  const time = phase === 'starting' ? {} : timeOf(conditions.get(type), status);
  // Before the drain, unlike all else that is applied.
  if (isFetching(conditions.get(type))) return { phase: 'pulling-image', ...time };
  return { phase: isBoth && phase === 'applying-files' ? 'applying-files-and-os' : phase, ...time };
}

function timeOf(condition: ConditionInfo | undefined, status: string): { readonly since?: string } {
  return condition?.status === status ? since(condition.time) : {};
}
