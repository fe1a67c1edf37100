/** Stories of rollouts: pauses, pools, limits and drains. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OS_STORIES } from './os-stories.ts';
import { describeStories, storiesFolder } from './run-stories.ts';

const STORIES = ['blocked-drain', 'gpu-pool', 'itms', 'max-unavailable', 'pause'];

it('every story is run by a test', () => {
  const folders = readdirSync(storiesFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name)).toEqual([...STORIES, ...OS_STORIES].sort());
});

describeStories('stories of rollouts', STORIES, (run) => {
  it('an unexpected state is reported, and the story fails', async () => {
    await expect(run('gpu-pool', { GPU_NODE: 'no-such-node' })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no-such-node'),
    });
  });
});
