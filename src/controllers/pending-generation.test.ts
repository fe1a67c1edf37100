import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../base/errors.ts';
import { type Controller, done, type Enqueue, type Next } from '../kubernetes/client/index.ts';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { PendingGeneration } from './pending-generation.ts';

describe('PendingGeneration', () => {
  let clock: VirtualClock;
  let generation: PendingGeneration;
  let idle: number;
  let enqueue: Enqueue;
  /** How the next reconcile ends. */
  let outcome: () => Promise<Next>;
  let tracked: Controller;

  beforeEach(() => {
    clock = new VirtualClock();
    generation = new PendingGeneration(clock);
    idle = 0;
    generation.onIdle(() => {
      idle += 1;
    });
    outcome = async () => done;
    tracked = generation.track({
      name: 'kubelet-config',
      workers: 1,
      caches: [],
      watch: (given) => {
        enqueue = given;
      },
      reconcile: () => outcome(),
    });
    tracked.watch(() => undefined);
  });

  it('is pending from the change of a source until it is reconciled', async () => {
    expect(generation.isPending()).toBe(false);
    enqueue('one');
    expect(generation.isPending()).toBe(true);
    await tracked.reconcile('one');
    expect([generation.isPending(), idle]).toEqual([false, 1]);
  });

  it('is pending while any key is', async () => {
    enqueue('one');
    enqueue('two');
    await tracked.reconcile('one');
    expect([generation.isPending(), idle]).toEqual([true, 0]);
    await tracked.reconcile('two');
    expect([generation.isPending(), idle]).toEqual([false, 1]);
  });

  it('stays pending where the source changes during the reconcile', async () => {
    enqueue('one');
    outcome = async () => {
      enqueue('one');
      return done;
    };
    await tracked.reconcile('one');
    expect(generation.isPending()).toBe(true);
  });

  it.each<[string, Failure['kind'], boolean]>([
    ['stays pending after a transient failure', 'transient', true],
    ['is no longer pending after a failure that no retry mends', 'stalled', false],
  ])('%s', async (_, kind, isPending) => {
    enqueue('one');
    outcome = async () => {
      throw new Failure(kind, 'Refused', 'not now');
    };
    await expect(tracked.reconcile('one')).rejects.toThrow('not now');
    expect(generation.isPending()).toBe(isPending);
  });

  it('does not wait longer than 30 s for a source that keeps failing', async () => {
    enqueue('one');
    await clock.advance(29_999);
    expect(generation.isPending()).toBe(true);
    await clock.advance(1);
    enqueue('one');
    expect(generation.isPending()).toBe(false);
    enqueue('two');
    expect(generation.isPending()).toBe(true);
  });

  it('does not become pending by a reconcile that no change caused', async () => {
    await tracked.reconcile('one');
    expect([generation.isPending(), idle]).toEqual([false, 0]);
  });
});
