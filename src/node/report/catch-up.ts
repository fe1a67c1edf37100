/**
 * Makes up for events that were never reported because the daemon was killed: a node that reboots has applied its changes, and
 * one that applies changes was prepared. And takes back what a rollback undoes.
 */
import { annotations } from '../../api/index.ts';
import { files, filesAndOS, os, prepared, type Stage } from './condition-updates.ts';
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
  restage(draft, { from: 'applying', to: 'applied' });
}

/** What was applied is undone by a rollback, and has to be applied again. */
export function revertApplied(draft: ReportDraft): void {
  restage(draft, { from: 'applied', to: 'applying' });
}

function restage(draft: ReportDraft, { from, to }: { readonly from: Stage; readonly to: Stage }): void {
  const status = from === 'applying' ? 'Unknown' : 'True';
  const both = draft.condition('AppliedFilesAndOS');
  if (both?.status === status) {
    // The message shows what was needed; an unknown message shows nothing.
    const needs = EVERY_NEED.find((one) =>
      filesAndOS(from, one).some(({ message }) => message === both.message),
    );
    draft.setCondition(...filesAndOS(to, needs ?? { os: false, keys: false }));
  }
  if (draft.hasCondition('AppliedFiles', status)) draft.setCondition(...files(to, true));
  if (draft.hasCondition('AppliedOSImage', status)) draft.setCondition(...os(to));
}

const EVERY_NEED = [false, true].flatMap((os) => [false, true].map((keys) => ({ os, keys })));
