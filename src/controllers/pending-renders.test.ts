import { beforeEach, describe, expect, it } from 'vitest';
import { aPool } from '../../test/support/build.ts';
import type { MachineConfigPool } from '../api/index.ts';
import { type Cache, type Change, OwnWrites } from '../kubernetes/client/index.ts';
import { PendingRenders } from './pending-renders.ts';

const worker = (resourceVersion: string): MachineConfigPool => {
  const pool = aPool('worker');
  return { ...pool, metadata: { ...pool.metadata, uid: '1', resourceVersion } };
};

describe('PendingRenders', () => {
  let pool: MachineConfigPool | undefined;
  let listeners: ((change: Change<MachineConfigPool>) => void)[];
  let writes: OwnWrites<MachineConfigPool>;
  let renders: PendingRenders;
  let settled: string[];

  const show = (after: MachineConfigPool | undefined): void => {
    const before = pool;
    pool = after;
    for (const listener of listeners) listener({ before, after });
  };

  beforeEach(() => {
    pool = worker('1');
    listeners = [];
    const cache: Cache<MachineConfigPool> = {
      synced: Promise.resolve(),
      get: () => pool,
      all: () => (pool === undefined ? [] : [pool]),
      by: () => [],
      onChange: (listener) => listeners.push(listener),
    };
    writes = new OwnWrites(cache);
    renders = new PendingRenders(cache, writes);
    settled = [];
    renders.onSettled((name) => settled.push(name));
  });

  it('reports a pool as pending until it was rendered once', () => {
    expect(renders.isPending('worker')).toBe(true);
    renders.settle('worker', renders.begin('worker'));
    expect([renders.isPending('worker'), settled]).toEqual([false, ['worker']]);
  });

  it('reports a pool as pending from a change until that change is rendered', () => {
    renders.settle('worker', renders.begin('worker'));
    renders.open('worker');
    expect(renders.isPending('worker')).toBe(true);
    const first = renders.begin('worker');
    renders.open('worker');
    renders.settle('worker', first);
    expect(renders.isPending('worker')).toBe(true);
    renders.settle('worker', renders.begin('worker'));
    expect(renders.isPending('worker')).toBe(false);
  });

  it('reports a pool as pending until the cache shows its new target', () => {
    renders.open('worker');
    writes.record(worker('7'));
    renders.settle('worker', renders.begin('worker'));
    expect([renders.isPending('worker'), settled]).toEqual([true, []]);
    show(worker('7'));
    expect(renders.isPending('worker')).toBe(false);
  });

  it('forgets a pool that is deleted', () => {
    renders.settle('worker', renders.begin('worker'));
    show(undefined);
    show(worker('9'));
    expect(renders.isPending('worker')).toBe(true);
  });
});
