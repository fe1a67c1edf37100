/**
 * How far each set is.
 */
import type { SetFailure } from './plan-pulls.ts';
import type { WantedSet } from './wanted-sets.ts';

export type SetState = { readonly name: string; readonly generation: number } & (
  | { readonly kind: 'complete' }
  /** It is checked or pulled; a failure that was reported before stays. */
  | { readonly kind: 'pending' }
  | ({ readonly kind: 'failed' } & SetFailure)
);

type Progress = {
  readonly sets: readonly WantedSet[];
  /** The images that the node has, and that are pinned. */
  readonly pinned: ReadonlySet<string>;
  /** By the name of the set: why it cannot be complete. */
  readonly failures?: ReadonlyMap<string, SetFailure>;
  /** By image: why it could not be pulled. */
  readonly pullFailures?: ReadonlyMap<string, SetFailure>;
  /** All pulls have ended: an image that is not there was removed meanwhile, unless this is why it was not pulled. */
  readonly isDone?: boolean;
  readonly timeout?: SetFailure;
};

export function setStates({
  sets,
  pinned,
  failures,
  pullFailures,
  isDone = false,
  timeout,
}: Progress): readonly SetState[] {
  return sets.map(({ name, generation, images }) => {
    const missing = images.filter((image) => !pinned.has(image));
    const [first] = missing;
    if (first === undefined) return { name, generation, kind: 'complete' };
    const pull = missing.map((image) => pullFailures?.get(image)).find((failure) => failure !== undefined);
    const failure = failures?.get(name) ?? pull ?? timeout ?? (isDone ? removedFailure(first) : undefined);
    return failure === undefined
      ? { name, generation, kind: 'pending' }
      : { name, generation, kind: 'failed', ...failure };
  });
}

/** Nothing can be said of any set but that it fails. */
export function failedStates(sets: readonly WantedSet[], failure: SetFailure): readonly SetState[] {
  return sets.map(({ name, generation }) => ({ name, generation, kind: 'failed', ...failure }));
}

function removedFailure(image: string): SetFailure {
  return { error: `failed to pull image: image removed during sync: ${image}` };
}
