import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import { Bug, Failure } from '../../base/errors.ts';
import { done, after as lookAgain, type Next, underWay } from './kube.ts';
import { KubeError } from './kube-error.ts';
import { type WorkFailure, WorkQueue } from './work-queue.ts';

const retry = { baseMs: 100, factor: 2, capMs: 10_000, jitter: 0 };

type Run = { readonly key: string; readonly atMs: number };

function world(work: (key: string, run: number) => Promise<Next>, { workers = 2, jitter = 0 } = {}) {
  const env = virtualEnv();
  const runs: Run[] = [];
  const failures: WorkFailure[] = [];
  const queue = new WorkQueue({
    ...{ env, workers, retry: { ...retry, jitter } },
    work(key) {
      runs.push({ key, atMs: Math.round(env.clock.monotonic()) });
      return work(key, runs.length);
    },
    onFailure: (failure) => failures.push(failure),
  });
  const times = () => runs.map(({ atMs }) => atMs);
  return { env, queue, runs, failures, times };
}

const finished = () => Promise.resolve(done);
const failing = () => Promise.reject(new Error('no'));

describe('a stalled key', () => {
  const stalled = () => Promise.reject(new Failure('stalled', 'Invalid', 'no such field'));

  it('is not retried with backoff, only rechecked every five minutes', async () => {
    const { env, queue, times, failures } = world(stalled);
    queue.start();
    queue.add('a');
    await env.clock.advance(11 * 60_000);
    expect(times()).toEqual([0, 300_000, 600_000]);
    expect(failures[0]).toMatchObject({ isStalled: true, delayMs: 300_000 });
  });

  it('is retried when it is added, but no more than once a second', async () => {
    const { env, queue, times } = world(stalled);
    queue.start();
    queue.add('a');
    await env.clock.advance(400);
    queue.add('a');
    await env.clock.advance(60_000);
    queue.add('a');
    await env.clock.advance(60_000);
    expect(times()).toEqual([0, 1_000, 60_400]);
  });

  it('is retried with what was added while it was running', async () => {
    const { env, queue, runs } = world(async (_, run) => {
      if (run === 1) queue.add('a');
      return run === 1 ? stalled() : done;
    });
    queue.start();
    queue.add('a');
    await env.clock.advance(10_000);
    expect(runs).toHaveLength(2);
  });

  it.each([
    [422, 'Invalid', true],
    [400, 'BadRequest', true],
    [401, 'Unauthorized', false],
    [403, 'Forbidden', false],
    [404, 'NotFound', false],
    [409, 'Conflict', false],
    [409, 'AlreadyExists', false],
  ])('results from the status %d %s: %j', async (code, reason, isStalled) => {
    const error = new KubeError({ code, reason, message: 'no', details: {}, retryAfterMs: undefined });
    const { env, queue, failures } = world(() => Promise.reject(error));
    queue.start();
    queue.add('a');
    await env.clock.settle();
    expect(failures[0]?.isStalled).toBe(isStalled);
  });
});

describe('a queue', () => {
  it('processes nothing before it is started', async () => {
    const { env, queue, runs } = world(finished);
    queue.add('a');
    await env.clock.advance(1_000);
    expect(runs).toEqual([]);
    queue.start();
    await env.clock.settle();
    expect(runs).toEqual([{ key: 'a', atMs: 1_000 }]);
  });

  it('processes a key once that is added often, in the order of addition', async () => {
    const { env, queue, runs } = world(finished, { workers: 1 });
    queue.start();
    for (const key of ['a', 'b', 'a', 'c', 'b', 'a']) queue.add(key);
    await env.clock.settle();
    expect(runs.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  });

  it('processes a key at the earliest of the requested times', async () => {
    const { env, queue, times } = world(finished);
    queue.start();
    queue.add('a', 5_000);
    queue.add('a', 1_000);
    queue.add('a', 3_000);
    await env.clock.advance(20_000);
    expect(times()).toEqual([1_000]);
    expect(env.clock.pending).toBe(0);
  });

  it('processes a key again that is added while it is processed, once, and never concurrently', async () => {
    let finish: (next: Next) => void = () => undefined;
    const { env, queue, times } = world(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    queue.start();
    queue.add('a');
    await env.clock.advance(1_000);
    queue.add('a');
    queue.add('a', 500);
    await env.clock.advance(1_000);
    expect(times()).toEqual([0]);
    finish(done);
    await env.clock.settle();
    expect(times()).toEqual([0, 2_000]);
    finish(done);
    await env.clock.advance(10_000);
    expect(times()).toEqual([0, 2_000]);
  });

  it('uses all its workers, and no more', async () => {
    const waiting: (() => void)[] = [];
    const { env, queue, runs } = world(() => new Promise((resolve) => waiting.push(() => resolve(done))), {
      workers: 3,
    });
    queue.start();
    for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key);
    await env.clock.settle();
    expect(runs).toHaveLength(3);
    waiting.shift()?.();
    await env.clock.settle();
    expect([runs.length, queue.running()]).toEqual([4, ['b', 'c', 'd']]);
  });

  it('requeues after the requested time, or earlier when the key is added', async () => {
    const { env, queue, times } = world((_, run) =>
      Promise.resolve(run < 3 ? lookAgain(1_000, 'waiting') : done),
    );
    queue.start();
    queue.add('a');
    await env.clock.advance(1_500);
    queue.add('a');
    await env.clock.advance(10_000);
    expect(times()).toEqual([0, 1_000, 1_500]);
  });

  it('backs off after each failure, up to a limit, and resets after a success', async () => {
    let works: boolean = false;
    const { env, queue, times, failures } = world(() => (works ? finished() : failing()));
    queue.start();
    queue.add('a');
    await env.clock.advance(40_000);
    expect(times()).toEqual([0, 100, 300, 700, 1_500, 3_100, 6_300, 12_700, 22_700, 32_700]);
    expect(failures.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    works = true;
    await env.clock.advance(10_000);
    works = false;
    queue.add('a');
    await env.clock.settle();
    expect(failures.at(-1)).toMatchObject({ key: 'a', attempt: 1, delayMs: 100 });
  });

  it('resets the backoff after a success that requeues', async () => {
    const ends = [failing, failing, () => Promise.resolve(lookAgain(1_000, 'waiting')), failing];
    const { env, queue, failures } = world((_, run) => (ends[run - 1] ?? finished)());
    queue.start();
    queue.add('a');
    await env.clock.advance(10_000);
    expect(failures.map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
  });

  it('keeps the backoff over waits in the middle of work', async () => {
    const waiting = () => Promise.resolve(underWay(1_000, 'waiting'));
    const ends = [failing, waiting, failing, waiting, waiting, failing, finished, failing];
    const { env, queue, failures } = world((_, run) => (ends[run - 1] ?? finished)());
    queue.start();
    queue.add('a');
    await env.clock.advance(10_000);
    queue.add('a');
    await env.clock.settle();
    expect(failures.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 1]);
  });

  it('spreads the delays of keys that failed together', async () => {
    const { env, queue, failures } = world(failing, { workers: 50, jitter: 0.5 });
    queue.start();
    for (let index = 0; index < 50; index++) queue.add(`key-${index}`);
    await env.clock.settle();
    const delays = failures.map(({ delayMs }) => delayMs);
    expect(new Set(delays).size).toBe(50);
    expect([Math.min(...delays) >= 50, Math.max(...delays) <= 100]).toEqual([true, true]);
  });

  it('respects Retry-After, within a limit', async () => {
    const details = { code: 429, reason: 'TooManyRequests', message: 'busy', details: {} };
    const asked = [60_000, 3_600_000];
    const { env, queue, times } = world((_, run) => {
      const retryAfterMs = asked[run - 1];
      return retryAfterMs === undefined
        ? finished()
        : Promise.reject(new KubeError({ ...details, retryAfterMs }));
    });
    queue.start();
    queue.add('a');
    await env.clock.advance(3_600_000);
    expect(times()).toEqual([0, 60_000, 360_000]);
  });

  it('retries a failing key at once when it is added, but not faster than a key that adds itself', async () => {
    const { env, queue, times } = world(failing);
    queue.start();
    queue.add('a');
    await env.clock.advance(6_000);
    expect(times()).toEqual([0, 100, 300, 700, 1_500, 3_100]);
    queue.add('a');
    await env.clock.settle();
    expect(times().at(-1)).toBe(6_000);
    // Now every change of it names it, every millisecond.
    const before = times().length;
    for (let ms = 0; ms < 10_000; ms++) {
      queue.add('a');
      await env.clock.advance(1);
    }
    expect(times().length - before).toBeLessThanOrEqual(10);
  });

  it('starts nothing more when it is stopped, and waits for running work', async () => {
    let finish: (next: Next) => void = () => undefined;
    const work = () =>
      new Promise<Next>((resolve) => {
        finish = resolve;
      });
    const { env, queue, runs } = world(work, { workers: 1 });
    queue.start();
    queue.add('a');
    queue.add('b');
    queue.add('c', 1_000);
    await env.clock.settle();
    let isStopped = false;
    const stopped = queue.stop().then(() => {
      isStopped = true;
    });
    queue.add('d');
    await env.clock.advance(5_000);
    expect([isStopped, runs.length, env.clock.pending]).toEqual([false, 1, 0]);
    finish(lookAgain(10, 'soon'));
    await env.clock.settle();
    await stopped;
    expect([isStopped, runs.length, env.clock.pending]).toEqual([true, 1, 0]);
    await queue.stop();
  });

  it('crashes if the failure handler throws, or if work requeues without a delay', async () => {
    const env = virtualEnv();
    const make = (work: () => Promise<Next>, onFailure: (failure: WorkFailure) => void) => {
      const queue = new WorkQueue({ env, workers: 1, retry, work, onFailure });
      queue.start();
      queue.add('a');
      return queue.crashed;
    };
    const rethrow = ({ error }: WorkFailure) => {
      throw error;
    };
    await expect(make(failing, rethrow)).rejects.toThrow('no');
    await expect(make(() => Promise.resolve(lookAgain(Number.NaN, 'never')), rethrow)).rejects.toThrow(
      /^internal error: a delay/,
    );
  });

  it('holds nothing for keys that are done', async () => {
    const { env, queue } = world(finished, { workers: 8 });
    queue.start();
    for (let index = 0; index < 10_000; index++) queue.add(`key-${index}`, index % 50);
    await env.clock.advance(100);
    expect([env.clock.pending, queue.running().length, queue.size]).toEqual([0, 0, 0]);
  });
});

describe('a queue with arbitrary keys and delays', () => {
  type Step =
    | { readonly kind: 'add'; readonly key: string; readonly delayMs: number }
    | { readonly kind: 'wait'; readonly ms: number };
  const steps: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      kind: fc.constant('add' as const),
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      delayMs: fc.constantFrom(0, 0, 10, 500, 5_000),
    }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 5, 100, 2_000) }),
  );

  it('processes every key no later than requested, unless it fails, and never concurrently', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 60 }), fc.nat(), async (story, seed) => {
        const env = virtualEnv({ seed });
        const atWork = new Set<string>();
        /** When each key is to be looked at at the latest; gone once a look began after it was named. */
        const owed = new Map<string, number>();
        const overdue: string[] = [];
        const queue = new WorkQueue({
          ...{ env, workers: 10, retry },
          async work(key) {
            if (atWork.has(key)) throw new Bug('twice at once');
            atWork.add(key);
            if ((owed.get(key) ?? Number.POSITIVE_INFINITY) < env.clock.monotonic() - 50) overdue.push(key);
            owed.delete(key);
            const tookMs = Math.floor(env.random.next() * 50);
            await new Promise<void>((resolve) => {
              env.clock.after(tookMs, resolve);
            });
            atWork.delete(key);
            return done;
          },
          onFailure: ({ error }) => {
            throw error;
          },
        });
        let crash: unknown;
        queue.crashed.catch((error: unknown) => {
          crash = error;
        });
        queue.start();
        for (const step of story) {
          if (step.kind === 'wait') await env.clock.advance(step.ms);
          else {
            const at = env.clock.monotonic() + step.delayMs;
            owed.set(step.key, Math.min(at, owed.get(step.key) ?? at));
            queue.add(step.key, step.delayMs);
          }
        }
        await env.clock.advance(20_000);
        expect([crash, overdue, [...owed.keys()], queue.size]).toEqual([undefined, [], [], 0]);
      }),
      { numRuns: 200 },
    );
  });
});
