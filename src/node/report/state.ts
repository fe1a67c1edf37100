/**
 * The state that a node is in, and how it moves:
 *
 *     state         Done ──prepared, …──> Working ──done──> Done
 *                   any  ──failed──> Degraded, ──unreconcilable──> Unreconcilable: both until done or up-to-date
 *     Updated       True ──update-found, or whatever else belongs to an update──> False ──up-to-date──> True
 *     NodeDegraded  True for as long as the state is Degraded or Unreconcilable
 *
 * When Updated moves, what the other conditions say belongs to the past: they become False, and keep their words behind
 * "Action during update to …".
 */
import { annotations } from '../../api/index.ts';
import { SINGLETONS } from './conditions.ts';
import type { ReportDraft } from './draft.ts';
import type { NodeEvent } from './events.ts';
import * as sayings from './sayings.ts';
import { fitted, MAX_REASON } from './text.ts';

/**
 * An update is found. Another target than the one that was being followed begins a new update; the same one again is a
 * retry, and what was said of it still holds.
 */
export function find(draft: ReportDraft, to?: string): void {
  const target = to ?? draft.annotation(annotations.desiredConfig);
  const isFailure = (type: string) => type === 'NodeDegraded' && isFailing(draft);
  if (!draft.isSaid('Updated', 'False')) {
    draft.putBehind({ isConcerned: (type) => type !== 'Updated' && !isFailure(type) });
  } else if (draft.leadsElsewhere(target)) {
    draft.putBehind({ isGivenUp: true, isConcerned: (type) => isPhase(type) && !isFailure(type) });
  }
  draft.say(sayings.updated(draft.nodeName, false));
  draft.head(target);
}

export function beUnderWay(draft: ReportDraft): void {
  const updated = draft.said('Updated');
  if (updated?.status !== 'False' || updated.reason !== 'Updated') find(draft);
}

/** A retry does not hide that the node fails. */
export function work(draft: ReportDraft): void {
  if (!isFailing(draft)) draft.annotate(annotations.state, 'Working');
}

export function fail(draft: ReportDraft, state: 'Degraded' | 'Unreconcilable', error: string): void {
  beUnderWay(draft);
  draft.annotate(annotations.state, state);
  draft.annotate(annotations.reason, fitted(error, MAX_REASON));
  draft.say(sayings.degraded(draft.nodeName, error));
}

export function beWell(draft: ReportDraft): void {
  draft.annotate(annotations.state, 'Done');
  draft.annotate(annotations.reason, '');
}

/**
 * In the end the state and the conditions agree, whatever happened to either: the annotation may have been edited, or the
 * MachineConfigNode been made anew.
 */
export function settle(draft: ReportDraft): void {
  if (isFailing(draft)) beUnderWay(draft);
  if (isFailing(draft) === draft.isSaid('NodeDegraded', 'True')) return;
  if (isFailing(draft)) {
    draft.say(sayings.degraded(draft.nodeName, draft.annotation(annotations.reason)));
  } else {
    draft.putBehind({ isConcerned: (type) => type === 'NodeDegraded' });
  }
}

export function isFailing(draft: ReportDraft): boolean {
  const state = draft.annotation(annotations.state);
  return state === 'Degraded' || state === 'Unreconcilable';
}

export function isPhase(type: string): boolean {
  return type !== 'Updated' && !SINGLETONS.includes(type);
}

/** What was said before is no event. */
export function ifNew(draft: ReportDraft, said: readonly NodeEvent[], change: () => void): void {
  const before = draft.changes;
  change();
  if (draft.changes > before) draft.emit(...said);
}
