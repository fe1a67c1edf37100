/**
 * What was never said, because the daemon was killed between the deed and the word, is said with the next moment: a node
 * that reboots has changed its disk, and one that changes its disk was prepared.
 */
import { annotations } from '../../api/index.ts';
import type { ReportDraft } from './draft.ts';
import { drainAsked } from './drain.ts';
import { files, filesAndOS, os, prepared } from './sayings.ts';

export function catchUpPrepared(draft: ReportDraft, isDrainAsked: boolean): void {
  if (draft.isSaid('UpdatePrepared', 'True')) return;
  const asked = drainAsked(draft.course.desired.config)[annotations.desiredDrain];
  draft.say(prepared(isDrainAsked || draft.annotation(annotations.desiredDrain) === asked));
}

/** What was being applied has been applied. */
export function catchUpApplied(draft: ReportDraft): void {
  const applying = draft.said('AppliedFilesAndOS');
  if (applying?.status === 'Unknown') {
    // The words tell what was needed; words that are not ours tell nothing.
    const needs = EVERY_NEED.find((one) =>
      filesAndOS('applying', one).some(({ message }) => message === applying.message),
    );
    draft.say(...filesAndOS('applied', needs ?? { os: false, keys: false }));
  }
  if (draft.isSaid('AppliedFiles', 'Unknown')) draft.say(...files('applied', true));
  if (draft.isSaid('AppliedOSImage', 'Unknown')) draft.say(...os('applied'));
}

const EVERY_NEED = [false, true].flatMap((os) => [false, true].map((keys) => ({ os, keys })));
