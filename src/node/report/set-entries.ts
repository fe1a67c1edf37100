/**
 * The entries of PinnedImageSets in the status of a MachineConfigNode, and in which order they can be written.
 */
import type { MachineConfigNodeStatus } from '../../api/index.ts';
import { objectsAt, stringAt } from '../../base/json-fields.ts';

export type SetEntry = NonNullable<MachineConfigNodeStatus['pinnedImageSets']>[number];

/** Generations never decrease in the life of an object, and the API server refuses it of an entry. */
export function isOfAnother(before: SetEntry | undefined, generation: number): boolean {
  const { desiredGeneration = 0, currentGeneration = 0, lastFailedGeneration = 0 } = before ?? {};
  return Math.max(desiredGeneration, currentGeneration, lastFailedGeneration) > generation;
}

/**
 * The entries that can be written now. One whose generation is lower than the reported one has to go first, since it is of
 * another object: it is written next.
 */
export function writableEntries(
  before: readonly SetEntry[],
  entries: readonly SetEntry[],
): { readonly entries: readonly SetEntry[]; readonly isPartial: boolean } {
  const reported = new Map(before.map((entry) => [entry.name, entry]));
  const writable = entries.filter(
    ({ name, desiredGeneration = 0 }) => !isOfAnother(reported.get(name), desiredGeneration),
  );
  return { entries: writable, isPartial: writable.length < entries.length };
}

/** As they were reported; anything else in their place counts as none. */
export function entriesOf(status: unknown): readonly SetEntry[] {
  return objectsAt(status, 'pinnedImageSets').flatMap((entry) => {
    const name = stringAt(entry, 'name');
    const { currentGeneration, desiredGeneration, lastFailedGeneration, lastFailedGenerationError } = entry;
    if (name === '') return [];
    return [
      {
        name,
        ...(typeof desiredGeneration === 'number' ? { desiredGeneration } : {}),
        ...(typeof currentGeneration === 'number' ? { currentGeneration } : {}),
        ...(typeof lastFailedGeneration === 'number' ? { lastFailedGeneration } : {}),
        ...(typeof lastFailedGenerationError === 'string' ? { lastFailedGenerationError } : {}),
      },
    ];
  });
}
