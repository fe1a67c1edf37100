/**
 * Reports how far the PinnedImageSets of a node are: an entry of its status for each, the two conditions, and an event where a
 * set becomes complete or fails.
 *
 * `currentGeneration` is the last generation that was complete; where that is said of the present one and is no longer true, it
 * goes. A failure stays until its set is complete or fails in another way, also while it is tried again.
 */
import type { SetState } from '../pinned/index.ts';
import * as updates from './condition-updates.ts';
import type { ReportDraft } from './draft.ts';
import { imagesPinned, prefetchFailed } from './node-events.ts';
import { isOfAnother, type SetEntry } from './set-entries.ts';
import { fitted, MAX_MESSAGE } from './text.ts';

export function applyPinnedImages(draft: ReportDraft, states: readonly SetState[]): void {
  const reported = new Map(draft.pinnedImageSets.map((entry) => [entry.name, entry]));
  const entries = states.map((state) => entryOf(state, reported.get(state.name)));
  for (const [index, state] of states.entries()) {
    const entry = entries[index];
    if (entry !== undefined) emitChange(draft, { state, entry, before: reported.get(state.name) });
  }
  draft.setPinnedImageSets(entries);
  const isFailing = entries.some(hasFailed);
  const isComplete = states.every(({ kind }) => kind === 'complete');
  draft.setCondition(
    isComplete ? updates.imagesComplete : updates.prefetching(draft.nodeName),
    isFailing ? updates.prefetchFailed : updates.imagesGood,
  );
}

function entryOf(state: SetState, before: SetEntry | undefined): SetEntry {
  const { name, generation } = state;
  if (state.kind === 'complete')
    return { name, desiredGeneration: generation, currentGeneration: generation };
  // Of another object of that name: it has begun to count anew.
  const last = isOfAnother(before, generation) ? undefined : before;
  const current = last?.currentGeneration ?? 0;
  const base = {
    name,
    desiredGeneration: generation,
    ...(current > 0 && current < generation ? { currentGeneration: current } : {}),
  };
  if (state.kind === 'failed') {
    const error = fitted(state.error, MAX_MESSAGE);
    return { ...base, lastFailedGeneration: generation, lastFailedGenerationError: error };
  }
  const { lastFailedGeneration, lastFailedGenerationError = '' } = last ?? {};
  return lastFailedGeneration === undefined
    ? base
    : { ...base, lastFailedGeneration, lastFailedGenerationError };
}

function hasFailed({ desiredGeneration, lastFailedGeneration }: SetEntry): boolean {
  return lastFailedGeneration !== undefined && lastFailedGeneration === desiredGeneration;
}

type Change = {
  readonly state: SetState;
  readonly entry: SetEntry;
  readonly before: SetEntry | undefined;
};

function emitChange(draft: ReportDraft, { state, entry, before }: Change): void {
  const { name, generation } = state;
  // Said once the entry can be written.
  if (isOfAnother(before, generation)) return;
  if (state.kind === 'complete' && before?.currentGeneration !== generation) {
    draft.emit(imagesPinned(name, generation));
  }
  if (state.kind !== 'failed') return;
  const isKnown =
    before?.lastFailedGeneration === generation &&
    before.lastFailedGenerationError === entry.lastFailedGenerationError;
  if (!isKnown) draft.emitFailure(prefetchFailed(name, state));
}
