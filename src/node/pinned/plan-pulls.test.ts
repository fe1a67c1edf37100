import { describe, expect, it } from 'vitest';
import { type Inspection, inspectFailure, planPulls, pullFailure } from './plan-pulls.ts';
import type { WantedSet } from './wanted-sets.ts';

const GI = 1024 ** 3;
const aSet = (name: string, ...images: readonly string[]): WantedSet => ({
  ...{ name, uid: name, generation: 1, images },
});
const layers = (...sizes: readonly (readonly [digest: string, sizeBytes: number])[]): Inspection => ({
  kind: 'layers',
  layers: sizes.map(([digest, sizeBytes]) => ({ digest, sizeBytes })),
});
const plan = (
  sets: readonly WantedSet[],
  inspections: Readonly<Record<string, Inspection>>,
  { freeBytes, present = [] }: { readonly freeBytes?: number; readonly present?: readonly string[] } = {},
) => {
  const { pulls, failures } = planPulls({
    ...{ nodeName: 'worker-0', sets, present: new Set(present), freeBytes },
    inspections: new Map(Object.entries(inspections)),
  });
  return { pulls, failures: Object.fromEntries([...failures].map(([name, { error }]) => [name, error])) };
};
const INSUFFICIENT = 'storage available is less than minimum required';

describe('the pulls of PinnedImageSets', () => {
  it('are the missing images of all sets, each once', () => {
    const sets = [aSet('a', 'one', 'two'), aSet('b', 'three', 'two')];
    const sizes = { one: layers(['x', 1]), three: layers(['y', 1]), two: layers(['z', 1]) };
    expect(plan(sets, sizes, { freeBytes: 20 * GI, present: ['one'] })).toEqual({
      pulls: ['two', 'three'],
      failures: {},
    });
  });

  it('need twice the size of their layers beside the reserve of 16 Gi', () => {
    const sets = [aSet('a', 'one')];
    expect(plan(sets, { one: layers(['x', GI]) }, { freeBytes: 18 * GI + 1 }).pulls).toEqual(['one']);
    expect(plan(sets, { one: layers(['x', GI]) }, { freeBytes: 18 * GI })).toEqual({
      pulls: [],
      failures: { a: INSUFFICIENT },
    });
  });

  it('count a layer that several images and sets share once', () => {
    const sets = [aSet('a', 'one', 'two'), aSet('b', 'three')];
    const sizes = { one: layers(['x', GI], ['x', GI]), two: layers(['x', GI]), three: layers(['x', GI]) };
    expect(plan(sets, sizes, { freeBytes: 18 * GI + 1 }).failures).toEqual({});
  });

  it('leave out a set that does not fit beside the earlier ones, and nothing else', () => {
    const sets = [aSet('a', 'one'), aSet('b', 'large'), aSet('c', 'small')];
    const sizes = { one: layers(['x', GI]), large: layers(['y', GI]), small: layers(['z', 1]) };
    expect(plan(sets, sizes, { freeBytes: 19 * GI })).toEqual({
      pulls: ['one', 'small'],
      failures: { b: INSUFFICIENT },
    });
  });

  it.each([
    [10 * GI, `${INSUFFICIENT} capacity: 10Gi, required: 16Gi`],
    [1536, `${INSUFFICIENT} capacity: 1536, required: 16Gi`],
    [0, `${INSUFFICIENT} capacity: 0, required: 16Gi`],
    [undefined, 'node "worker-0" has no ephemeral storage capacity'],
  ])('are refused with %s bytes of free space', (freeBytes, error) => {
    const given = freeBytes === undefined ? {} : { freeBytes };
    expect(plan([aSet('a', 'one')], { one: layers(['x', 1]) }, given).failures).toEqual({ a: error });
  });

  it('need no space for a set whose images are all there', () => {
    expect(plan([aSet('a', 'one')], {}, { freeBytes: 0, present: ['one'] })).toEqual({
      pulls: [],
      failures: {},
    });
  });

  it('leave out a set with an image that cannot be inspected', () => {
    const failure = inspectFailure('r.example.com/gone@sha256:0', 'manifest unknown');
    expect(failure).toEqual({
      error: 'failed to execute podman manifest inspect for "r.example.com/gone@sha256:0": exit status 125',
      detail: 'manifest unknown',
    });
    const sets = [aSet('a', 'gone', 'one'), aSet('b', 'one')];
    const sizes: Readonly<Record<string, Inspection>> = {
      gone: { kind: 'failed', failure },
      one: layers(['x', 1]),
    };
    expect(plan(sets, sizes, { freeBytes: 20 * GI })).toEqual({
      pulls: ['one'],
      failures: { a: failure.error },
    });
  });
});

describe('the error of a pull', () => {
  it.each([
    [
      { tries: 4, error: 'connection refused', isFinal: false },
      'failed to pull image "i" (4 tries): timed out waiting for the condition: connection refused',
    ],
    [
      { tries: 1, error: 'no space left on device', isFinal: true },
      'failed to pull image "i" (1 tries): no space left on device',
    ],
  ])('has the words of upstream (%#)', (failed, error) => {
    expect(pullFailure('i', failed)).toEqual({ error });
  });
});
