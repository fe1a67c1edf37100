/**
 * The state of a node, and its transitions:
 *
 *     state         Done ──prepared, …──> Working ──done──> Done
 *                   any  ──failed──> Degraded, ──unreconcilable──> Unreconcilable: both until done or up-to-date
 *     Updated       True ──update-found, or any later event of an update──> False ──up-to-date──> True
 *     NodeDegraded  True while the state is Degraded or Unreconcilable
 *     any           ──recovered──> what it was before the update that was refused, with `up-to-date` (`recover.ts`)
 *
 * When Updated changes, the other conditions belong to the past: they become False, and their messages get the prefix
 * "Action during update to …".
 */
import { annotations } from '../../api/index.ts';
import * as updates from './condition-updates.ts';
import { SINGLETONS } from './conditions.ts';
import type { ReportDraft } from './draft.ts';
import { type NodeEvent, updateFailed } from './node-events.ts';
import { fitted, MAX_REASON } from './text.ts';

/**
 * An update is found. Another target than the last one begins a new update; the same one is a retry, and keeps its conditions.
 * The target is reported once it was validated: see `setTarget`.
 */
export function findUpdate(draft: ReportDraft, to?: string): void {
  const target = to ?? draft.annotation(annotations.desiredConfig);
  if (!draft.hasCondition('Updated', 'False')) {
    retirePhases(draft);
    retireVerdict(draft, draft.versions.desired.config);
  } else {
    const abandoned = abandonedConfig(draft, target);
    if (abandoned !== undefined) {
      draft.retireConditions({ of: abandoned, applies: isStep });
      retireVerdict(draft, abandoned);
    }
  }
  draft.setCondition(updates.updated(draft.nodeName, false));
}

/** The conditions of a past update. What is independent of updates stays true. */
export function retirePhases(draft: ReportDraft): void {
  draft.retireConditions({ applies: isStep });
}

/** A failed node stays degraded until it is done, but its failure is no longer one of the present update. */
function retireVerdict(draft: ReportDraft, of: string): void {
  if (isFailing(draft)) draft.retireMessage('NodeDegraded', of);
  else draft.retireConditions({ of, applies: (type) => type === 'NodeDegraded' });
}

/** The config that the conditions are about, where it is not the target. */
export function abandonedConfig(draft: ReportDraft, target: string): string | undefined {
  const prepared = draft.condition('UpdatePrepared');
  if (prepared?.status === 'True') {
    return draft.targetsOther(target) ? draft.versions.desired.config : undefined;
  }
  const refused = prepared?.status === 'Unknown' ? updates.refusedConfig(prepared.message) : undefined;
  return refused === target ? undefined : refused;
}

export function ensureUpdating(draft: ReportDraft): void {
  const updated = draft.condition('Updated');
  if (updated?.status !== 'False' || updated.reason !== 'Updated') findUpdate(draft);
}

/** A retry does not hide a failure. */
export function setWorking(draft: ReportDraft): void {
  if (!isFailing(draft)) draft.annotate(annotations.state, 'Working');
}

type NodeFailure = {
  readonly state: 'Degraded' | 'Unreconcilable';
  readonly error: string;
  /** Where the failure has one of its own. */
  readonly event?: NodeEvent | undefined;
  readonly isRepeated?: boolean;
};

export function setFailed(draft: ReportDraft, { state, error, event, isRepeated }: NodeFailure): void {
  ensureUpdating(draft);
  if (!isRepeated) draft.emitFailure(event ?? updateFailed(error, draftConfigs(draft)));
  draft.annotate(annotations.state, state);
  draft.annotate(annotations.reason, fitted(error, MAX_REASON));
  draft.setCondition(updates.degraded(draft.nodeName, error));
}

function draftConfigs(draft: ReportDraft): { readonly current: string; readonly desired: string } {
  return {
    current: draft.annotation(annotations.currentConfig),
    desired: draft.annotation(annotations.desiredConfig),
  };
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

/** A condition of what an update does, not of its outcome. */
export function isStep(type: string): boolean {
  return type !== 'Updated' && type !== 'NodeDegraded' && !SINGLETONS.includes(type);
}

/** Emits the events only where the change is new. */
export function emitIfChanged(draft: ReportDraft, events: readonly NodeEvent[], change: () => void): void {
  const before = draft.changes;
  change();
  if (draft.changes > before) draft.emit(...events);
}
