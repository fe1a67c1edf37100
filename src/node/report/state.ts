/**
 * The state of a node, and its transitions:
 *
 *     state         Done ──prepared, …──> Working ──done──> Done
 *                   any  ──failed──> Degraded, ──unreconcilable──> Unreconcilable: both until done or up-to-date
 *     Updated       True ──update-found, or any later event of an update──> False ──up-to-date──> True
 *     NodeDegraded  True while the state is Degraded or Unreconcilable
 *
 * When Updated changes, the other conditions belong to the past: they become False, and their messages get the prefix
 * "Action during update to …".
 */
import { annotations } from '../../api/index.ts';
import * as updates from './condition-updates.ts';
import { SINGLETONS } from './conditions.ts';
import type { ReportDraft } from './draft.ts';
import type { NodeEvent } from './node-events.ts';
import { fitted, MAX_REASON } from './text.ts';

/** An update is found. Another target than the last one begins a new update; the same one is a retry, and keeps its conditions. */
export function findUpdate(draft: ReportDraft, to?: string): void {
  const target = to ?? draft.annotation(annotations.desiredConfig);
  const isFailure = (type: string) => type === 'NodeDegraded' && isFailing(draft);
  if (!draft.hasCondition('Updated', 'False')) {
    draft.retireConditions({ applies: (type) => type !== 'Updated' && !isFailure(type) });
  } else if (draft.targetsOther(target)) {
    draft.retireConditions({ isAbandoned: true, applies: (type) => isPhase(type) && !isFailure(type) });
  }
  draft.setCondition(updates.updated(draft.nodeName, false));
  draft.setTarget(target);
}

export function ensureUpdating(draft: ReportDraft): void {
  const updated = draft.condition('Updated');
  if (updated?.status !== 'False' || updated.reason !== 'Updated') findUpdate(draft);
}

/** A retry does not hide a failure. */
export function setWorking(draft: ReportDraft): void {
  if (!isFailing(draft)) draft.annotate(annotations.state, 'Working');
}

export function setFailed(draft: ReportDraft, state: 'Degraded' | 'Unreconcilable', error: string): void {
  ensureUpdating(draft);
  draft.annotate(annotations.state, state);
  draft.annotate(annotations.reason, fitted(error, MAX_REASON));
  draft.setCondition(updates.degraded(draft.nodeName, error));
}

export function setDone(draft: ReportDraft): void {
  draft.annotate(annotations.state, 'Done');
  draft.annotate(annotations.reason, '');
}

/**
 * Makes the state and the conditions agree: the annotation may have been edited, or the MachineConfigNode have been created
 * anew.
 */
export function reconcileState(draft: ReportDraft): void {
  if (isFailing(draft)) ensureUpdating(draft);
  if (isFailing(draft) === draft.hasCondition('NodeDegraded', 'True')) return;
  if (isFailing(draft)) {
    draft.setCondition(updates.degraded(draft.nodeName, draft.annotation(annotations.reason)));
  } else {
    draft.retireConditions({ applies: (type) => type === 'NodeDegraded' });
  }
}

export function isFailing(draft: ReportDraft): boolean {
  const state = draft.annotation(annotations.state);
  return state === 'Degraded' || state === 'Unreconcilable';
}

export function isPhase(type: string): boolean {
  return type !== 'Updated' && !SINGLETONS.includes(type);
}

/** Emits the events only where the change is new. */
export function emitIfChanged(draft: ReportDraft, events: readonly NodeEvent[], change: () => void): void {
  const before = draft.changes;
  change();
  if (draft.changes > before) draft.emit(...events);
}
