/**
 * The PinnedImageSets that a node should have.
 */
import { type PinnedImageSet, parseSetNames } from '../../api/index.ts';
import { compareBytes, jsonEqual } from '../../base/json.ts';
import { objectsAt, stringAt } from '../../base/json-fields.ts';

export type WantedSet = {
  readonly name: string;
  /** Differs for a set that was deleted and created anew. */
  readonly uid: string;
  readonly generation: number;
  /** By digest, sorted, each once. */
  readonly images: readonly string[];
};

/**
 * `annotation`: `pinned-image-sets` of the Node. A set that does not exist is left out: it was deleted, and the annotation will
 * follow, or it is on its way to the cache.
 */
export function wantedSets(
  annotation: string | undefined,
  setOf: (name: string) => PinnedImageSet | undefined,
): readonly WantedSet[] {
  return parseSetNames(annotation).flatMap((name) => {
    const set = setOf(name);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return [];
    const images = objectsAt(set.spec, 'pinnedImages').map((image) => stringAt(image, 'name'));
    const { uid = '', generation = 1 } = set.metadata;
    return [{ name, uid, generation, images: sorted(images) }];
  });
}

export function wantedImages(sets: readonly WantedSet[]): readonly string[] {
  return sorted(sets.flatMap(({ images }) => images));
}

export function isSameWanted(a: readonly WantedSet[], b: readonly WantedSet[]): boolean {
  return jsonEqual(a, b);
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((name) => name !== '').sort(compareBytes);
}
