/**
 * What a node does with the images that it should keep (PinnedImageSets), where there is something to say of it.
 */
import type { MachineConfigNode } from '../api/index.ts';
import { numberAt, objectsAt, stringAt } from '../base/json-fields.ts';
import { since } from './timestamp.ts';

/** `failed`: of the first set that fails; others are counted. */
export type PinnedImages = { readonly since?: string } & (
  | { readonly kind: 'prefetching' }
  | { readonly kind: 'failed'; readonly set: string; readonly error: string; readonly others: number }
);

export function pinnedImages(record: MachineConfigNode | undefined): PinnedImages | undefined {
  const degraded = conditionOf(record, 'PinnedImageSetsDegraded');
  const failed = objectsAt(record?.status, 'pinnedImageSets').filter(
    (entry) =>
      numberAt(entry, 'lastFailedGeneration') > 0 &&
      numberAt(entry, 'lastFailedGeneration') === numberAt(entry, 'desiredGeneration'),
  );
  const [first] = failed;
  if (degraded?.status === 'True' && first !== undefined) {
    const [set, error] = [stringAt(first, 'name'), stringAt(first, 'lastFailedGenerationError')];
    return { kind: 'failed', set, error, others: failed.length - 1, ...since(degraded.lastTransitionTime) };
  }
  const progressing = conditionOf(record, 'PinnedImageSetsProgressing');
  if (progressing?.status !== 'True') return undefined;
  return { kind: 'prefetching', ...since(progressing.lastTransitionTime) };
}

function conditionOf(record: MachineConfigNode | undefined, type: string) {
  return objectsAt(record?.status, 'conditions').find((one) => one.type === type);
}
