/**
 * What each moment adds to a report. How the state of the node moves with it: `state.ts`.
 */
import { annotations } from '../../api/index.ts';
import { catchUpApplied } from './catch-up.ts';
import type { ReportDraft } from './draft.ts';
import { tellDrain, uncordonAsked } from './drain.ts';
import * as events from './events.ts';
import type { Moment } from './moment.ts';
import { tellProgress } from './progress.ts';
import * as sayings from './sayings.ts';
import { beWell, fail, find, ifNew, isFailing, isPhase, work } from './state.ts';

type Of<Kind extends Moment['kind']> = Extract<Moment, { readonly kind: Kind }>;

export function tell(draft: ReportDraft, moment: Moment): void {
  switch (moment.kind) {
    case 'joined':
      join(draft, moment.annotations);
      break;
    case 'update-found':
      find(draft, moment.to);
      break;
    case 'unreconcilable':
      tellUnreconcilable(draft, moment);
      break;
    case 'actions-unknown':
      find(draft, moment.to);
      draft.say(sayings.unavailable(moment));
      fail(draft, 'Degraded', moment.error);
      break;
    case 'prepared':
      find(draft, moment.to);
      draft.say(sayings.prepared(moment.needsDrain));
      work(draft);
      break;
    case 'drain-told':
      tellDrain(draft);
      break;
    case 'completing':
      complete(draft, moment.config);
      break;
    case 'first-look-over':
      // Where nothing was under way, nothing is resumed.
      if (!draft.isSaid('Updated', 'True')) draft.say(sayings.resumed(moment.config));
      break;
    case 'done':
      finish(draft, moment);
      break;
    case 'update-succeeded':
      // A node that was degraded stays so until it is done, as its state does.
      if (!isFailing(draft)) draft.say(sayings.succeeded(draft.nodeName));
      break;
    case 'failed':
      tellFailed(draft, moment);
      break;
    case 'up-to-date':
      arrive(draft);
      break;
    default:
      tellProgress(draft, moment);
      break;
  }
}

/** The first words. What the node says already is newer. */
function join(draft: ReportDraft, words: { readonly [key: string]: string }): void {
  for (const [key, value] of Object.entries(words)) {
    if (draft.annotation(key) === '') draft.annotate(key, value);
  }
}

/** A node that is where it was all the time has nothing to resume. */
function complete(draft: ReportDraft, config: string): void {
  const wasUpdated = draft.isSaid('Updated', 'True');
  const { current } = draft.course;
  if (wasUpdated ? current.config !== config : draft.leadsElsewhere(config)) find(draft, config);
  if (!draft.isSaid('Updated', 'True')) {
    catchUpApplied(draft);
    draft.say(sayings.completing(config));
  }
  draft.annotateAll(uncordonAsked(config));
}

function finish(draft: ReportDraft, { config, image = '' }: Of<'done'>): void {
  ifNew(draft, events.uncordonedAndDone(draft.nodeName, config), () => {
    draft.annotate(annotations.currentConfig, config);
    draft.annotate(annotations.currentImage, image === '' ? null : image);
    // An empty wish says nothing, and would keep the node from ever having what is wanted.
    if (draft.annotation(annotations.desiredImage) === '') draft.annotate(annotations.desiredImage, null);
    beWell(draft);
  });
  if (draft.isSaid('NodeDegraded', 'True')) draft.say(sayings.succeeded(draft.nodeName));
}

function tellUnreconcilable(draft: ReportDraft, moment: Of<'unreconcilable'>): void {
  ifNew(draft, [events.unreconcilable(moment.error)], () => {
    find(draft, moment.to);
    draft.say(sayings.incompatible(moment));
    fail(draft, 'Unreconcilable', moment.error);
  });
}

function tellFailed(draft: ReportDraft, { error, phase, event }: Of<'failed'>): void {
  ifNew(draft, event === undefined ? [] : [events.failureEvent(error, event)], () => {
    fail(draft, 'Degraded', error);
    if (!draft.isImageReported || phase === undefined) return;
    draft.say(...(phase === 'files' ? sayings.filesFailed(error) : sayings.osFailed(error)));
  });
}

/** Where the node has been sent elsewhere meanwhile there is something to do, and it is not said that there is not. */
function arrive(draft: ReportDraft): void {
  const config = draft.annotation(annotations.currentConfig);
  if (config === '' || config !== draft.annotation(annotations.desiredConfig)) return;
  if (draft.annotation(annotations.currentImage) !== draft.annotation(annotations.desiredImage)) return;
  beWell(draft);
  // What is no phase changes by itself later on; it is put behind only once.
  const wasUpdated = draft.isSaid('Updated', 'True');
  draft.putBehind({ isConcerned: (type) => (wasUpdated ? isPhase(type) : type !== 'Updated') });
  draft.say(sayings.updated(draft.nodeName, true));
  draft.arrive();
}
