import { expect, it } from 'vitest';
import { CommitQueue, MAX_GROUP_BYTES, MAX_GROUP_COMMITS, MAX_PENDING_COMMITS } from './commit-queue.ts';
import type { Write } from './store.ts';

const aWrite = (key: string, size = 0): Write => ({
  kind: 'put',
  key,
  expect: 'any',
  value: new Uint8Array(size),
});

/** A queue whose disk takes its time: each group is noted and waits until it is let go. */
function aQueue() {
  const groups: (readonly string[])[] = [];
  const waiting: { finish: () => void; fail: (error: Error) => void }[] = [];
  const queue = new CommitQueue((commits) => {
    groups.push(commits.map((writes) => writes[0]?.key ?? ''));
    return new Promise((resolve, reject) => {
      const finish = () => resolve(commits.map((_, revision) => ({ kind: 'committed', revision })));
      waiting.push({ finish, fail: reject });
    });
  });
  return { queue, groups, waiting };
}

const aMoment = () => new Promise((resolve) => setImmediate(resolve));

it('rejects a commit when the queue is full', async () => {
  const { queue } = aQueue();
  const accepted = Array.from({ length: MAX_PENDING_COMMITS }, () => queue.push([aWrite('a')]));
  await expect(queue.push([aWrite('b')])).rejects.toMatchObject({ kind: 'transient', reason: 'StoreBusy' });
  await aMoment();
  const state = await Promise.race([...accepted, queue.push([aWrite('c')]), Promise.resolve('waits')]);
  expect(state, 'the first group has left, so there is room').toBe('waits');
});

it('rejects only the commits of a failed group', async () => {
  const { queue, waiting } = aQueue();
  const first = [queue.push([aWrite('a')]), queue.push([aWrite('b')])];
  await aMoment();
  const second = queue.push([aWrite('c')]);
  waiting[0]?.fail(new Error('no disk'));
  for (const one of first) await expect(one).rejects.toThrow('no disk');
  await aMoment();
  waiting[1]?.finish();
  expect(await second).toEqual({ kind: 'committed', revision: 0 });
});

it('collects commits while a group is written', async () => {
  const { queue, groups, waiting } = aQueue();
  const results = ['a', 'b'].map((key) => queue.push([aWrite(key)]));
  await aMoment();
  results.push(...['c', 'd', 'e'].map((key) => queue.push([aWrite(key)])));
  const idle = queue.idle();
  waiting[0]?.finish();
  await aMoment();
  waiting[1]?.finish();
  await idle;
  expect(groups).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
  expect(await Promise.all(results)).toEqual(
    [0, 1, 0, 1, 2].map((revision) => ({ kind: 'committed', revision })),
  );
});

it.each([
  ['so many commits', MAX_GROUP_COMMITS + 1, 0, MAX_GROUP_COMMITS],
  ['so many bytes', 5, MAX_GROUP_BYTES / 2, 2],
  ['one commit, however large', 2, MAX_GROUP_BYTES + 1, 1],
])('limits a group to %s', async (_, commits, size, expected) => {
  const { queue, groups } = aQueue();
  for (let number = 0; number < commits; number++) void queue.push([aWrite(`${number}`, size)]);
  await aMoment();
  expect(groups.map(({ length }) => length)).toEqual([expected]);
});
