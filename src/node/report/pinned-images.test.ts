import { describe, expect, it } from 'vitest';
import { NodeLife } from '../../../test/support/node-life.ts';
import type { SetState } from '../pinned/index.ts';

const PROGRESSING = 'PinnedImageSetsProgressing';
const DEGRADED = 'PinnedImageSetsDegraded';
const ERROR = 'failed to execute podman manifest inspect for "r/i@sha256:0": exit status 125';

const pending = (name: string, generation: number): SetState => ({ name, generation, kind: 'pending' });
const complete = (name: string, generation: number): SetState => ({ name, generation, kind: 'complete' });
const failed = (name: string, generation: number, error = ERROR): SetState => ({
  ...{ name, generation, kind: 'failed', error, detail: 'manifest unknown' },
});
const report = (life: NodeLife, ...sets: readonly SetState[]) => life.report({ kind: 'pinned-images', sets });
const lines = (life: NodeLife) => [life.line(PROGRESSING), life.line(DEGRADED)];
const entries = (life: NodeLife) => life.record.status?.pinnedImageSets;

const GOOD = `${DEGRADED}=False AsExpected: All is good`;
const BAD = `${DEGRADED}=True PrefetchFailed: One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details`;
const DONE = `${PROGRESSING}=False AsExpected: All pinned image sets complete`;
const BUSY = `${PROGRESSING}=True ImagePrefetch: node is prefetching images: n`;

describe('the report of PinnedImageSets', () => {
  it('says that all is complete on a node without any', () => {
    const life = NodeLife.settledOn('n', 'old');
    report(life);
    expect(lines(life)).toEqual([DONE, GOOD]);
    expect(life.record.status).not.toHaveProperty('pinnedImageSets');
  });

  it('goes from prefetching over a failure to complete, as upstream shows it', () => {
    const life = NodeLife.settledOn('n', 'old');
    report(life, pending('a', 2));
    expect(lines(life)).toEqual([BUSY, GOOD]);
    expect(entries(life)).toEqual([{ name: 'a', desiredGeneration: 2 }]);
    const { failures } = report(life, failed('a', 2));
    expect(lines(life)).toEqual([BUSY, BAD]);
    expect(entries(life)).toEqual([
      { name: 'a', desiredGeneration: 2, lastFailedGeneration: 2, lastFailedGenerationError: ERROR },
    ]);
    expect(failures).toEqual([
      {
        type: 'Warning',
        reason: 'PrefetchFailed',
        message: `PinnedImageSet a: ${ERROR}: manifest unknown`,
      },
    ]);
    const { events } = report(life, complete('a', 3));
    expect(lines(life)).toEqual([DONE, GOOD]);
    expect(entries(life)).toEqual([{ name: 'a', desiredGeneration: 3, currentGeneration: 3 }]);
    expect(events).toEqual([
      {
        type: 'Normal',
        reason: 'ImagesPinned',
        message: 'All images of PinnedImageSet a, generation 3, are pinned',
      },
    ]);
  });

  it('keeps a failure while it is tried again, and says it once', () => {
    const life = NodeLife.settledOn('n', 'old');
    report(life, failed('a', 2));
    expect(report(life, pending('a', 2)).status).toBeUndefined();
    expect(report(life, failed('a', 2))).toMatchObject({ failures: [], status: undefined });
    expect(report(life, failed('a', 2, 'another')).failures).toHaveLength(1);
  });

  it('is not degraded by the failure of an earlier generation', () => {
    const life = NodeLife.settledOn('n', 'old');
    report(life, failed('a', 2));
    report(life, pending('a', 3));
    expect(lines(life)).toEqual([BUSY, GOOD]);
    expect(entries(life)).toEqual([
      { name: 'a', desiredGeneration: 3, lastFailedGeneration: 2, lastFailedGenerationError: ERROR },
    ]);
  });

  it('keeps the generation that was complete last, and takes back one that is no longer', () => {
    const life = NodeLife.settledOn('n', 'old');
    report(life, complete('a', 2), complete('b', 5));
    report(life, pending('a', 3), pending('b', 5));
    expect(entries(life)).toEqual([
      { name: 'a', desiredGeneration: 3, currentGeneration: 2 },
      { name: 'b', desiredGeneration: 5 },
    ]);
  });

  it('removes the entry of a set that was created anew before it reports the new one', () => {
    const life = NodeLife.settledOn('n', 'old');
    report(life, complete('a', 7), complete('b', 1));
    const first = report(life, pending('a', 1), complete('b', 1));
    expect(first.isPartial).toBe(true);
    expect(entries(life)).toEqual([{ name: 'b', desiredGeneration: 1, currentGeneration: 1 }]);
    const second = report(life, pending('a', 1), complete('b', 1));
    expect(second.isPartial).toBeUndefined();
    expect(entries(life)).toEqual([
      { name: 'a', desiredGeneration: 1 },
      { name: 'b', desiredGeneration: 1, currentGeneration: 1 },
    ]);
  });

  it('removes the entries of sets that the node no longer has', () => {
    const life = NodeLife.settledOn('n', 'old');
    report(life, failed('a', 1));
    report(life);
    expect(lines(life)).toEqual([DONE, GOOD]);
    expect(life.record.status).not.toHaveProperty('pinnedImageSets');
  });

  it('stays as it is through an update', () => {
    const life = NodeLife.settledOn('n', 'old');
    report(life, failed('a', 1));
    const before = life.condition(DEGRADED);
    life.sendTo('new');
    life.report({ kind: 'update-found' }, { kind: 'done', config: 'new' }, { kind: 'up-to-date' });
    expect(life.condition(DEGRADED)).toEqual(before);
    expect(entries(life)).toHaveLength(1);
  });

  it('cuts an error to the limit of the field', () => {
    const life = NodeLife.settledOn('n', 'old');
    report(life, failed('a', 1, 'x'.repeat(40_000)));
    expect(entries(life)?.[0]?.lastFailedGenerationError).toHaveLength(32_768);
  });
});
