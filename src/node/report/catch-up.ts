/**
 * Makes up for events that were never reported because the daemon was killed: a node that reboots has applied its changes, and
 * one that applies changes was prepared.
 */
import { annotations } from '../../api/index.ts';
import { files, filesAndOS, os, prepared } from './condition-updates.ts';
import type { ReportDraft } from './draft.ts';
import { drainRequested } from './drain.ts';

export function catchUpPrepared(draft: ReportDraft, isDrainRequested: boolean): void {
  if (draft.hasCondition('UpdatePrepared', 'True')) return;
  draft.setTarget();
  const request = drainRequested(draft.versions.desired.config)[annotations.desiredDrain];
  draft.setCondition(prepared(isDrainRequested || draft.annotation(annotations.desiredDrain) === request));
}

/** What was being applied is applied. */
export function catchUpApplied(draft: ReportDraft): void {
  const applying = draft.condition('AppliedFilesAndOS');
  if (applying?.status === 'Unknown') {
    // The message shows what was needed; an unknown message shows nothing.
    const needs = EVERY_NEED.find((one) =>
      filesAndOS('applying', one).some(({ message }) => message === applying.message),
    );
    draft.setCondition(...filesAndOS('applied', needs ?? { os: false, keys: false }));
  }
  if (draft.hasCondition('AppliedFiles', 'Unknown')) draft.setCondition(...files('applied', true));
  if (draft.hasCondition('AppliedOSImage', 'Unknown')) draft.setCondition(...os('applied'));
}

const EVERY_NEED = [false, true].flatMap((os) => [false, true].map((keys) => ({ os, keys })));
