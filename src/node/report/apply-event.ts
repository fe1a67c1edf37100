/**
 * Applies one progress event to a report. Transitions of the node's state are in `state.ts`.
 */
import { annotations } from '../../api/index.ts';
import { unreachable } from '../../base/errors.ts';
import { applyStepEvent } from './apply-step-event.ts';
import { catchUpApplied, revertApplied } from './catch-up.ts';
import * as updates from './condition-updates.ts';
import type { ReportDraft } from './draft.ts';
import { applyDrainProgress, uncordonRequested } from './drain.ts';
import * as events from './node-events.ts';
import { applyPinnedImages } from './pinned-images.ts';
import type { FailedPhase, ProgressEvent } from './progress-event.ts';
import { recordUpdate } from './recent-updates.ts';
import { recover } from './recover.ts';
import {
  emitIfChanged,
  findUpdate,
  isFailing,
  retirePhases,
  setDone,
  setFailed,
  setWorking,
} from './state.ts';

type Of<Kind extends ProgressEvent['kind']> = Extract<ProgressEvent, { readonly kind: Kind }>;

export function applyEvent(draft: ReportDraft, event: ProgressEvent): void {
  switch (event.kind) {
    case 'joined':
      join(draft, event.annotations);
      break;
    case 'update-found':
      findUpdate(draft, event.to);
      break;
    case 'unreconcilable':
      applyUnreconcilable(draft, event);
      break;
    case 'actions-unknown':
      findUpdate(draft, event.to);
      draft.setCondition(updates.actionsUnknown(event));
      setFailed(draft, { state: 'Degraded', error: event.error });
      break;
    case 'unprepared':
      applyUnprepared(draft, event);
      break;
    case 'prepared':
      findUpdate(draft, event.to);
      draft.setTarget(event.to);
      draft.setCondition(updates.prepared(event.needsDrain, event.warnings));
      setWorking(draft);
      break;
    case 'drain-progressed':
      applyDrainProgress(draft);
      break;
    case 'completing':
      complete(draft, event.config);
      break;
    case 'started':
      // Without an update in progress nothing is resumed.
      if (!draft.hasCondition('Updated', 'True')) draft.setCondition(updates.resumed(event.config));
      break;
    case 'done':
      finish(draft, event);
      break;
    case 'update-succeeded':
      // A degraded node stays degraded until it is done, as its state does.
      if (!isFailing(draft)) draft.setCondition(updates.succeeded(draft.nodeName));
      break;
    case 'failed':
      applyFailed(draft, event);
      break;
    case 'recovered':
      recover(draft);
      break;
    case 'up-to-date':
      reachTarget(draft);
      break;
    case 'pinned-images':
      applyPinnedImages(draft, event.sets);
      break;
    default:
      applyStepEvent(draft, event);
      break;
  }
}

/** Existing annotations are newer than the initial ones. */
function join(draft: ReportDraft, initial: { readonly [key: string]: string }): void {
  for (const [key, value] of Object.entries(initial)) {
    if (draft.annotation(key) === '') draft.annotate(key, value);
  }
}

/** A node that has not left its config has nothing to resume. */
function complete(draft: ReportDraft, config: string): void {
  const wasUpdated = draft.hasCondition('Updated', 'True');
  const { current } = draft.versions;
  if (wasUpdated ? current.config !== config : draft.targetsOther(config)) {
    findUpdate(draft, config);
    draft.setTarget(config);
  }
  if (!draft.hasCondition('Updated', 'True')) {
    catchUpApplied(draft);
    draft.setCondition(updates.completing(config));
  }
  draft.annotateAll(uncordonRequested(config));
}

function finish(draft: ReportDraft, { config, image = '' }: Of<'done'>): void {
  emitIfChanged(draft, events.uncordonedAndDone(draft.nodeName, config), () => {
    draft.annotate(annotations.currentConfig, config);
    draft.annotate(annotations.currentImage, image === '' ? null : image);
    // What was fetched for this update is deployed.
    draft.annotate(annotations.fetchedImage, null);
    recordUpdate(draft);
    setDone(draft);
  });
  if (draft.hasCondition('NodeDegraded', 'True')) draft.setCondition(updates.succeeded(draft.nodeName));
}

function applyUnreconcilable(draft: ReportDraft, event: Of<'unreconcilable'>): void {
  const { error } = event;
  const emitted = events.unreconcilable(error);
  emitIfChanged(draft, [emitted], () => {
    findUpdate(draft, event.to);
    draft.setCondition(updates.incompatible(event));
    setFailed(draft, { state: 'Unreconcilable', error, event: emitted });
  });
}

function applyUnprepared(draft: ReportDraft, event: Of<'unprepared'>): void {
  const { error, isIncompatible = false } = event;
  const emitted = event.event === undefined ? undefined : events.failureEvent(error, event.event);
  emitIfChanged(draft, emitted === undefined ? [] : [emitted], () => {
    findUpdate(draft, event.to);
    // It was refused once its OS image was there.
    if (updates.isFetching(draft.condition('UpdateExecuted'))) {
      draft.retireConditions({ of: event.to, applies: (type) => FETCH_CONDITIONS.includes(type) });
    }
    draft.setCondition(isIncompatible ? updates.incompatible(event) : updates.unavailable(event));
    setFailed(draft, { state: 'Degraded', error, event: emitted });
  });
}

const FETCH_CONDITIONS = ['UpdateExecuted', 'AppliedFilesAndOS', 'AppliedOSImage'];

function applyFailed(draft: ReportDraft, { error, phase, event, rollback }: Of<'failed'>): void {
  const emitted = event === undefined ? undefined : events.failureEvent(error, event);
  emitIfChanged(draft, emitted === undefined ? [] : [emitted], () => {
    setFailed(draft, { state: 'Degraded', error, event: emitted, isRepeated: rollback === 'done' });
    if (rollback !== undefined) revertApplied(draft);
    if (phase !== undefined) draft.setCondition(...failedPhase(phase, error, draft));
  });
}

/** Without the feature gate, upstream's texts for files and OS leave the error to NodeDegraded. */
function failedPhase(phase: FailedPhase, error: string, { isImageReported }: ReportDraft) {
  switch (phase) {
    case 'files':
      return isImageReported ? updates.filesFailed(error) : [];
    case 'os':
      return isImageReported ? updates.osFailed(error) : [];
    case 'post-action':
      return [updates.postActionFailed(error)];
    case 'reboot':
      return [updates.rebootFailed(error)];
    default:
      return unreachable(phase);
  }
}

/** Nothing is reported where the node has another desired config by now. */
function reachTarget(draft: ReportDraft): void {
  const config = draft.annotation(annotations.currentConfig);
  if (config === '' || config !== draft.annotation(annotations.desiredConfig)) return;
  if (draft.annotation(annotations.currentImage) !== draft.annotation(annotations.desiredImage)) return;
  setDone(draft);
  retirePhases(draft);
  draft.setCondition(updates.updated(draft.nodeName, true));
  draft.reachTarget();
}
