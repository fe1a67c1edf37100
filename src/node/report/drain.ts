/**
 * The node's side of the handshake with the drain controller: what it asks, and what it repeats of the answer.
 */
import { annotations, formatDrainRequest } from '../../api/index.ts';
import { drainConditions, drainState, type Saying } from '../../rollout/index.ts';
import type { ReportDraft } from './draft.ts';
import { cordonedForUpdate, drainingForUpdate, drainSkipped } from './events.ts';

type Patch = { readonly [key: string]: string };

/** The annotation with which a node asks to be drained for the sake of a config. */
export function drainAsked(config: string): Patch {
  return { [annotations.desiredDrain]: formatDrainRequest({ verb: 'drain', config }) };
}

/** The annotation with which a node that has arrived asks to be put back into service. */
export function uncordonAsked(config: string): Patch {
  return { [annotations.desiredDrain]: formatDrainRequest({ verb: 'uncordon', config }) };
}

/**
 * Repeats what the drain controller has said, as far as it belongs to the update under way: the Node keeps the last
 * request and its answer for ever.
 */
export function tellDrain(draft: ReportDraft): void {
  if (draft.isSaid('Updated', 'True')) return;
  // What is asked only now cannot have been answered yet.
  if (draft.changesAnnotation(annotations.desiredDrain)) return;
  const { request } = drainState(draft.node);
  if (request?.config !== draft.course.desired.config) return;
  // The same config may have been reached before: only a node that has resumed its work has asked anew.
  if (request.verb === 'uncordon' && !draft.isSaid('Resumed', 'True')) return;
  const told = drainConditions(draft.node);
  if (told === undefined) return;
  const wasCordoned = draft.isSaid('Cordoned', 'True');
  const drainedBefore = draft.said('Drained')?.message;
  sayOfPhase(draft, told.phase);
  draft.say(...told.steps);
  if (request.verb === 'uncordon') return;
  if (draft.isSaid('Cordoned', 'True')) {
    if (!wasCordoned) draft.emit(cordonedForUpdate, drainingForUpdate);
  } else if (draft.said('Drained')?.message !== drainedBefore) {
    draft.emit(drainSkipped);
  }
}

/** Once the disk is being changed, the phase is beyond the drain. */
export function sayOfPhase(draft: ReportDraft, phase: Saying): void {
  const last = draft.said(phase.type);
  const isBeyond = last?.status !== 'False' && last?.reason.startsWith('Applied') === true;
  if (!isBeyond) draft.say(phase);
}
