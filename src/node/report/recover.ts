/**
 * A node that has its config although it failed: it refused another one, which is no longer desired, or somebody has repaired a manual
 * change. No update is in progress, and none has ended.
 *
 * An update that was refused leaves no trace: the conditions are again those of the last update, which would else be mixed with a
 * refusal. One that was executed in part keeps what it did, with its name.
 */
import { annotations } from '../../api/index.ts';
import { DRAIN_NOT_REQUIRED } from '../../rollout/index.ts';
import * as updates from './condition-updates.ts';
import { NOT_YET_OCCURRED, notYetOccurred } from './conditions.ts';
import { pastPrefixOf } from './config-versions.ts';
import type { ReportDraft } from './draft.ts';
import { nodeDone } from './node-events.ts';
import { abandonedConfig, emitIfChanged, isStep, setDone } from './state.ts';

export function recover(draft: ReportDraft): void {
  const config = draft.annotation(annotations.currentConfig);
  emitIfChanged(draft, [nodeDone(draft.nodeName, config)], () => setDone(draft));
  const abandoned = abandonedConfig(draft, config);
  if (abandoned !== undefined) {
    if (!isInProgress(draft)) restorePrepared(draft);
    draft.retireConditions({ of: abandoned, applies: isStep });
  }
  if (draft.condition('NodeDegraded')?.reason === NOT_YET_OCCURRED) return;
  draft.setCondition(wasUpdated(draft) ? updates.succeeded(draft.nodeName) : notYetOccurred('NodeDegraded'));
}

/** Whether more was done than to prepare it. */
function isInProgress(draft: ReportDraft): boolean {
  return draft
    .conditions()
    .some(({ type, status }) => type !== 'UpdatePrepared' && isStep(type) && status !== 'False');
}

function wasUpdated(draft: ReportDraft): boolean {
  return draft.condition('UpdateExecuted')?.reason !== NOT_YET_OCCURRED;
}

/** As the other conditions of the last update still tell; without the warnings of pre-flight, which are nowhere else. */
function restorePrepared(draft: ReportDraft): void {
  if (!wasUpdated(draft)) {
    draft.setCondition(notYetOccurred('UpdatePrepared'));
    return;
  }
  const messageOf = (type: string) => draft.condition(type)?.message ?? '';
  const executed = messageOf('UpdateExecuted');
  const past = pastPrefixOf(executed);
  // The image was fetched before the config was refused: that is what the conditions are about.
  if (past === '' || updates.isFetchText(executed.slice(past.length))) return;
  const isOfIt = (type: string) => messageOf(type).startsWith(past);
  const isDrained = isOfIt('Drained') && !messageOf('Drained').endsWith(DRAIN_NOT_REQUIRED);
  // The drain of a single node is skipped; no node is rebooted without one.
  const prepared = updates.prepared(isDrained || isOfIt('RebootedNode'));
  draft.setCondition({ ...prepared, status: 'False', message: `${past}${prepared.message}` });
}
