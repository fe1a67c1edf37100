import { describe, expect, it } from 'vitest';
import { cachedWorld } from '../../../test/kube/cached-world.ts';
import { type VirtualEnv, virtualEnv } from '../../../test/support/virtual-env.ts';
import { assert, Failure } from '../../base/errors.ts';
import { runControllers } from './controller-loop.ts';
import { type AnyObject, type Cache, type Controller, done, type Enqueue } from './kube.ts';

type Part = Partial<Controller> & Pick<Controller, 'reconcile'>;

function controller(part: Part, first: readonly string[] = ['a']): Controller {
  const watch = (enqueue: Enqueue) => {
    for (const key of first) enqueue(key);
  };
  return { name: 'test', workers: 1, watch, caches: [], ...part };
}

/** Runs until it ends; how it ended. */
function run(env: VirtualEnv, controllers: readonly Controller[], settings = {}) {
  const state: { end: 'running' | 'resolved' | Error } = { end: 'running' };
  const promise = runControllers(controllers, { env, settings }).then(
    () => {
      state.end = 'resolved';
    },
    (error: Error) => {
      state.end = error;
    },
  );
  return { state, promise };
}

const errorsOf = (env: VirtualEnv) => env.lines.filter(({ level }) => level === 'error');

describe('the controller loop', () => {
  it('logs each failure once, with the controller, the key and the attempt, and tries again', async () => {
    const env = virtualEnv();
    let runs = 0;
    const reconcile = () => {
      runs += 1;
      if (runs > 2) return Promise.resolve(done);
      return Promise.reject(new Failure('transient', 'Unreachable', 'no server'));
    };
    run(env, [controller({ name: 'node', reconcile })]);
    await env.clock.advance(10_000);
    expect(runs).toBe(3);
    expect(errorsOf(env)).toMatchObject(
      [1, 2].map((attempt) => ({
        message: 'reconcile failed',
        fields: {
          ...{ controller: 'node', key: 'a', attempt, kind: 'transient', reason: 'Unreachable' },
          error: 'no server',
        },
      })),
    );
  });

  it('does not retry a stalled key before it is enqueued again', async () => {
    const env = virtualEnv();
    const stalled = new Failure('stalled', 'InvalidMachineConfig', 'no such field');
    let runs = 0;
    let enqueue: Enqueue = () => undefined;
    const reconcile = () => {
      runs += 1;
      return runs === 1 ? Promise.reject(stalled) : Promise.resolve(done);
    };
    const watch = (given: Enqueue) => {
      enqueue = given;
      given('a');
    };
    run(env, [controller({ reconcile, watch })]);
    await env.clock.advance(4 * 60_000);
    expect(runs).toBe(1);
    expect(errorsOf(env)).toMatchObject([{ fields: { kind: 'stalled', recheckMs: 300_000 } }]);
    enqueue('a');
    await env.clock.settle();
    expect(runs).toBe(2);
  });

  it('ends at once on a failed assertion and starts nothing more', async () => {
    const env = virtualEnv();
    let others = 0;
    const broken = controller({ reconcile: async () => assert(false, 'two and two are four') as never });
    const busy = controller({
      reconcile: async () => {
        others += 1;
        return { kind: 'after', delayMs: 1_000, why: 'again' };
      },
    });
    const { state, promise } = run(env, [busy, broken]);
    await env.clock.settle();
    await promise;
    expect(state.end).toMatchObject({ message: 'internal error: two and two are four' });
    await env.clock.advance(60_000);
    expect([others, env.clock.pending]).toEqual([1, 0]);
  });

  it('ends after a stop once running reconciles have ended', async () => {
    const env = virtualEnv();
    let isDone = false;
    const slow = controller({
      reconcile: async () => {
        await new Promise<void>((resolve) => {
          env.clock.after(5_000, resolve);
        });
        isDone = true;
        return done;
      },
    });
    const { state } = run(env, [slow]);
    await env.clock.advance(1_000);
    env.stop();
    await env.clock.advance(3_000);
    expect(state.end).toBe('running');
    await env.clock.advance(1_000);
    expect([state.end, isDone, env.clock.pending]).toEqual(['resolved', true, 0]);
  });

  it('ends without reconciles that exceed the grace period, and logs their keys', async () => {
    const env = virtualEnv();
    const stuck = controller({ name: 'drain', reconcile: () => new Promise(() => undefined) }, ['worker-0']);
    const { state } = run(env, [stuck], { graceMs: 20_000 });
    await env.clock.settle();
    env.stop();
    await env.clock.advance(19_999);
    expect(state.end).toBe('running');
    await env.clock.advance(1);
    expect(state.end).toBe('resolved');
    expect(env.lines.at(-1)).toMatchObject({
      level: 'warn',
      fields: { controller: 'drain', keys: 'worker-0' },
    });
  });

  it('logs no error for reconciles that end because of the stop', async () => {
    const env = virtualEnv();
    const reconcile = () =>
      new Promise<never>((_, reject) => {
        env.signal.addEventListener('abort', () => reject(new Failure('cancelled', 'Cancelled', 'we stop')));
      });
    const { promise } = run(env, [controller({ reconcile })]);
    await env.clock.settle();
    env.stop();
    await promise;
    expect(errorsOf(env)).toEqual([]);
  });

  it('reconciles nothing before the caches have synced, and everything then', async () => {
    const world = cachedWorld();
    world.server.faults.list.push({ kind: 'status', status: 500 });
    const keys: string[] = [];
    const reconcile = async (key: string) => {
      expect([...world.cache.all()]).toHaveLength(4);
      keys.push(key);
      return done;
    };
    const watch = (enqueue: Enqueue) => {
      enqueue('early');
      world.cache.onChange(({ after }) => enqueue(after?.metadata.name ?? ''));
    };
    const caches: readonly Cache<AnyObject>[] = [world.cache];
    const { promise, state } = run(world.env, [controller({ reconcile, watch, caches })]);
    await world.env.clock.settle();
    expect(keys).toEqual([]);
    await world.env.clock.advance(5_000);
    expect(keys).toEqual(['early', 'a', 'b', 'c', 'd']);
    world.env.stop();
    await promise;
    expect(state.end).toBe('resolved');
  });

  it('reconciles simultaneous changes once', async () => {
    const world = cachedWorld();
    const seen: string[][] = [];
    const reconcile = async () => {
      seen.push([...world.cache.all()].map(({ data }) => data?.value ?? ''));
      return done;
    };
    const watch = (enqueue: Enqueue) => world.cache.onChange(() => enqueue('pool'));
    run(world.env, [controller({ reconcile, watch, caches: [world.cache] })]);
    await world.env.clock.settle();
    // Four changes in one piece of the watch.
    const [open] = world.server.watches;
    if (open !== undefined) open.isSilent = true;
    for (const name of ['a', 'b', 'c', 'd']) world.server.put(name, 'second');
    if (open !== undefined) open.isSilent = false;
    open?.sendPiece([3, 2, 1, 0].map((back) => `${world.server.pastLine(back)}\n`).join(''));
    await world.env.clock.settle();
    expect(seen).toEqual([Array(4).fill('first'), Array(4).fill('second')]);
  });

  it('stops before it has started', async () => {
    const world = cachedWorld();
    world.server.faults.list.push({ kind: 'hang' });
    const reconcile = () => Promise.reject(new Error('never called'));
    const { promise, state } = run(world.env, [controller({ reconcile, caches: [world.cache] })]);
    await world.env.clock.settle();
    world.env.stop();
    await promise;
    expect([state.end, errorsOf(world.env)]).toEqual(['resolved', []]);
  });
});
