/**
 * The node's side of the drain handshake: its request, and the controller's progress as conditions.
 */
import { annotations, formatDrainRequest } from '../../api/index.ts';
import { type ConditionUpdate, drainConditions, drainState } from '../../rollout/index.ts';
import { isFetching } from './condition-updates.ts';
import type { ReportDraft } from './draft.ts';
import { cordonedForUpdate, drainingForUpdate, drainSkipped } from './node-events.ts';

type Patch = { readonly [key: string]: string };

/** The annotation that requests a drain for a config. */
export function drainRequested(config: string): Patch {
  return { [annotations.desiredDrain]: formatDrainRequest({ verb: 'drain', config }) };
}

/** The annotation that requests to be uncordoned with a config. */
export function uncordonRequested(config: string): Patch {
  return { [annotations.desiredDrain]: formatDrainRequest({ verb: 'uncordon', config }) };
}

/**
 * Reports the drain controller's progress, as far as it belongs to the update in progress: the Node keeps the last request and
 * its response.
 */
export function applyDrainProgress(draft: ReportDraft): void {
  if (draft.hasCondition('Updated', 'True')) return;
  // A new request cannot have a response yet.
  if (draft.changesAnnotation(annotations.desiredDrain)) return;
  const { request } = drainState(draft.node);
  if (request?.config !== draft.versions.desired.config) return;
  // The request may be of an earlier update: only a prepared node has requested the drain, only a resumed one the uncordon.
  if (!draft.hasCondition(request.verb === 'drain' ? 'UpdatePrepared' : 'Resumed', 'True')) return;
  const progress = drainConditions(draft.node);
  if (progress === undefined) return;
  const wasCordoned = draft.hasCondition('Cordoned', 'True');
  const drainedBefore = draft.condition('Drained')?.message;
  setPhase(draft, progress.phase);
  draft.setCondition(...progress.steps);
  if (request.verb === 'uncordon') return;
  if (draft.hasCondition('Cordoned', 'True')) {
    if (!wasCordoned) draft.emit(cordonedForUpdate, drainingForUpdate);
  } else if (draft.condition('Drained')?.message !== drainedBefore) {
    draft.emit(drainSkipped);
  }
}

/** Once changes are being applied, the phase is past the drain. The image is fetched before. */
export function setPhase(draft: ReportDraft, phase: ConditionUpdate): void {
  const last = draft.condition(phase.type);
  const isPast = last?.status !== 'False' && last?.reason.startsWith('Applied') === true && !isFetching(last);
  if (!isPast) draft.setCondition(phase);
}
