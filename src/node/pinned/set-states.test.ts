import { describe, expect, it } from 'vitest';
import type { PinnedImageSet } from '../../api/index.ts';
import { pinnedDropIn } from './drop-in.ts';
import { failedStates, setStates } from './set-states.ts';
import { isSameWanted, type WantedSet, wantedImages, wantedSets } from './wanted-sets.ts';

const aSet = (name: string, ...images: readonly string[]): WantedSet => ({
  ...{ name, uid: name, generation: 3, images },
});
const SETS = [aSet('a', 'one', 'two'), aSet('b', 'two')];
const base = (name: string) => ({ name, generation: 3 });

describe('the state of a PinnedImageSet', () => {
  it('is complete once all of its images are pinned', () => {
    expect(setStates({ sets: SETS, pinned: new Set(['two']) })).toEqual([
      { ...base('a'), kind: 'pending' },
      { ...base('b'), kind: 'complete' },
    ]);
  });

  it('is failed for its own reason before that of an image, and that before the time limit', () => {
    const failures = new Map([['a', { error: 'of a' }]]);
    const pullFailures = new Map([['two', { error: 'of two' }]]);
    const timeout = { error: 'late' };
    const states = (given: Partial<Parameters<typeof setStates>[0]>) =>
      setStates({ sets: SETS, pinned: new Set(), ...given }).map((one) =>
        one.kind === 'failed' ? one.error : one.kind,
      );
    expect(states({ failures, pullFailures, timeout })).toEqual(['of a', 'of two']);
    expect(states({ pullFailures, timeout })).toEqual(['of two', 'of two']);
    expect(states({ timeout })).toEqual(['late', 'late']);
  });

  it('is failed where an image that was pulled is gone at the end', () => {
    const [state] = setStates({ sets: SETS, pinned: new Set(['two']), isDone: true });
    expect(state).toEqual({
      ...base('a'),
      kind: 'failed',
      error: 'failed to pull image: image removed during sync: one',
    });
  });

  it('is failed for all sets where nothing can be pinned', () => {
    expect(failedStates(SETS, { error: 'no CRI-O' }).map(({ kind }) => kind)).toEqual(['failed', 'failed']);
  });
});

describe('the drop-in of CRI-O', () => {
  it('has the form of upstream', () => {
    expect(pinnedDropIn(['a@sha256:1', 'b@sha256:2'])).toBe(
      '[crio]\n  [crio.image]\n    pinned_images = ["a@sha256:1", "b@sha256:2"]\n',
    );
  });

  it('does not exist without images', () => {
    expect(pinnedDropIn([])).toBeUndefined();
  });
});

describe('the PinnedImageSets of a node', () => {
  const sets = new Map<string, PinnedImageSet>(
    [
      { name: 'a', images: ['two', 'one', 'two'] },
      { name: 'b', images: ['two'], deletionTimestamp: '2026-01-01T00:00:00Z' },
    ].map(({ images, ...metadata }) => [
      metadata.name,
      {
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'PinnedImageSet',
        metadata: { ...metadata, uid: 'u', generation: 2 },
        spec: { pinnedImages: images.map((name) => ({ name })) },
      },
    ]),
  );
  const wanted = (annotation?: string) => wantedSets(annotation, (name) => sets.get(name));

  it('are those of its annotation that exist, with sorted images', () => {
    const a = { name: 'a', uid: 'u', generation: 2, images: ['one', 'two'] };
    expect(wanted('c,a, a ,,b')).toEqual([a]);
    expect(wanted()).toEqual([]);
    expect(wantedImages([a, aSet('z', 'zero', 'one')])).toEqual(['one', 'two', 'zero']);
  });

  it('differ where a set was created anew', () => {
    const [a] = wanted('a');
    expect(isSameWanted(wanted('a'), wanted('a'))).toBe(true);
    expect(isSameWanted(a === undefined ? [] : [{ ...a, uid: 'other' }], wanted('a'))).toBe(false);
  });
});
