/**
 * Applies a progress event that is a step of an update.
 */
import { annotations } from '../../api/index.ts';
import { unreachable } from '../../base/errors.ts';
import { catchUpApplied, catchUpPrepared } from './catch-up.ts';
import * as updates from './condition-updates.ts';
import type { ReportDraft } from './draft.ts';
import { drainRequested, setPhase, uncordonRequested } from './drain.ts';
import * as events from './node-events.ts';
import type { ProgressEvent } from './progress-event.ts';
import { emitIfChanged, ensureUpdating, isFailing, setWorking } from './state.ts';

type Of<Kind extends ProgressEvent['kind']> = Extract<ProgressEvent, { readonly kind: Kind }>;

type Progress = Of<
  | 'drain-not-required'
  | 'drain-requested'
  | 'drain-withdrawn'
  | 'fetching'
  | 'fetched'
  | 'applying'
  | 'pulling'
  | 'pulled'
  | 'pull-failed'
  | 'applied'
  | 'rebooting'
  | 'rebooted'
  | 'post-action-done'
>;

/** Such an event implies that an update is in progress and was prepared. */
export function applyStepEvent(draft: ReportDraft, event: Progress): void {
  ensureUpdating(draft);
  catchUpPrepared(draft, event.kind === 'drain-requested');
  setWorking(draft);
  switch (event.kind) {
    case 'drain-not-required': {
      const [phase, step] = updates.drainNotRequired;
      setPhase(draft, phase);
      draft.setCondition(step);
      break;
    }
    case 'drain-requested':
      draft.annotateAll(drainRequested(event.config));
      break;
    case 'drain-withdrawn':
      draft.annotateAll(uncordonRequested(event.config));
      break;
    case 'fetching':
      draft.setCondition(...updates.fetching(event, draft), updates.pulling(event));
      break;
    case 'fetched':
      applyFetched(draft, event);
      break;
    case 'applying':
      draft.setCondition(...updates.changing('applying', event.change, draft));
      break;
    case 'pulling':
      draft.setCondition(updates.pulling(event));
      break;
    case 'pulled':
      draft.setCondition(updates.pulled(event));
      break;
    case 'pull-failed':
      draft.setCondition(updates.pullFailed(event));
      break;
    case 'applied':
      if (!isRetryOfPostAction(draft))
        draft.setCondition(...updates.changing('applied', event.change, draft));
      break;
    case 'rebooting':
      reboot(draft, event);
      break;
    case 'rebooted':
      applyRebooted(draft);
      break;
    case 'post-action-done':
      applyPostAction(draft, event);
      break;
    default:
      unreachable(event);
      break;
  }
}

/** What follows is the drain: a condition that is Unknown is where the node is. */
function applyFetched(draft: ReportDraft, event: { readonly image: string }): void {
  const step = updates.fetched(event, draft);
  if (updates.isFetching(draft.condition(step.type))) draft.setCondition(step, updates.pulled(event));
}

function reboot(draft: ReportDraft, { config }: Of<'rebooting'>): void {
  catchUpApplied(draft);
  // The policies may have changed since an action failed.
  if (draft.hasCondition('UpdatePostActionComplete', 'Unknown')) {
    draft.retireConditions({ applies: (type) => type === 'UpdatePostActionComplete' });
  }
  const into = config ?? draft.annotation(annotations.desiredConfig);
  emitIfChanged(draft, [events.rebootInto(into)], () => {
    draft.setCondition(updates.rebooting);
    draft.annotate(annotations.postConfigAction, 'Rebooting');
  });
}

function applyRebooted(draft: ReportDraft): void {
  catchUpApplied(draft);
  draft.setCondition(updates.rebooted);
  if (draft.annotation(annotations.postConfigAction) !== '') draft.annotate(annotations.postConfigAction, '');
}

function applyPostAction(draft: ReportDraft, { action, hasMore = false }: Of<'post-action-done'>): void {
  if (hasMore && isRetryOfPostAction(draft)) return;
  catchUpApplied(draft);
  const update = updates.postActionDone(action);
  const event = events.postActionEvent(action);
  const emitted = event === undefined ? [] : [event];
  if (update === undefined) return;
  const status = hasMore ? 'Unknown' : update.status;
  emitIfChanged(draft, emitted, () => draft.setCondition({ ...update, status }));
}

/** Until all actions have succeeded, the rollback may undo everything again: their phase keeps the error until then. */
function isRetryOfPostAction(draft: ReportDraft): boolean {
  return isFailing(draft) && draft.hasCondition('UpdatePostActionComplete', 'Unknown');
}
