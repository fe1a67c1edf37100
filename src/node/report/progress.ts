/**
 * What is added to a report by moments that are steps of an update.
 */
import { annotations } from '../../api/index.ts';
import { unreachable } from '../../base/errors.ts';
import { catchUpApplied, catchUpPrepared } from './catch-up.ts';
import type { ReportDraft } from './draft.ts';
import { drainAsked, sayOfPhase } from './drain.ts';
import * as events from './events.ts';
import type { Moment } from './moment.ts';
import * as sayings from './sayings.ts';
import { beUnderWay, ifNew, work } from './state.ts';

type Of<Kind extends Moment['kind']> = Extract<Moment, { readonly kind: Kind }>;

type Progress = Of<
  | 'drain-not-required'
  | 'drain-asked'
  | 'applying'
  | 'pulling'
  | 'pulled'
  | 'pull-failed'
  | 'applied'
  | 'rebooting'
  | 'rebooted'
  | 'post-action-done'
>;

/** Moments that are steps of an update: there is one under way, then, and it was prepared. */
export function tellProgress(draft: ReportDraft, moment: Progress): void {
  beUnderWay(draft);
  catchUpPrepared(draft, moment.kind === 'drain-asked');
  work(draft);
  switch (moment.kind) {
    case 'drain-not-required': {
      const [phase, step] = sayings.drainNotRequired;
      sayOfPhase(draft, phase);
      draft.say(step);
      break;
    }
    case 'drain-asked':
      draft.annotateAll(drainAsked(moment.config));
      break;
    case 'applying':
      draft.say(...sayings.changing('applying', moment.change, draft));
      break;
    case 'pulling':
      draft.say(sayings.pulling(moment));
      break;
    case 'pulled':
      draft.say(sayings.pulled(moment));
      break;
    case 'pull-failed':
      draft.say(sayings.pullFailed(moment));
      break;
    case 'applied':
      draft.say(...sayings.changing('applied', moment.change, draft));
      break;
    case 'rebooting':
      reboot(draft, moment);
      break;
    case 'rebooted':
      tellRebooted(draft);
      break;
    case 'post-action-done':
      tellPostAction(draft, moment);
      break;
    default:
      unreachable(moment);
      break;
  }
}

function reboot(draft: ReportDraft, { config }: Of<'rebooting'>): void {
  catchUpApplied(draft);
  const into = config ?? draft.annotation(annotations.desiredConfig);
  ifNew(draft, [events.rebootInto(into)], () => {
    draft.say(sayings.rebooting);
    draft.annotate(annotations.postConfigAction, 'Rebooting');
  });
}

function tellRebooted(draft: ReportDraft): void {
  catchUpApplied(draft);
  draft.say(sayings.rebooted);
  if (draft.annotation(annotations.postConfigAction) !== '') draft.annotate(annotations.postConfigAction, '');
}

function tellPostAction(draft: ReportDraft, { action }: Of<'post-action-done'>): void {
  catchUpApplied(draft);
  const saying = sayings.postActionDone(action);
  const event = events.postActionEvent(action);
  const said = event === undefined ? [] : [event];
  // Of a restart there is no trace by which to tell whether it was told before.
  if (saying === undefined) draft.emit(...said);
  else ifNew(draft, said, () => draft.say(saying));
}
