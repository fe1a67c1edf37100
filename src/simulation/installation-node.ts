/**
 * The manifests of Millwright, installed once: every simulation begins with a store of its own, into which the log of that installation is
 * written again. Installing takes longer than many a simulation.
 */

import { silentLog } from '../base/env.ts';
import { assert } from '../base/errors.ts';
import {
  createApiServer,
  createMemoryStore,
  type LogLimits,
  type Store,
  type StoreEvent,
} from '../embedded/apiserver/index.ts';
import { installManifests } from '../embedded/up/install-manifests-node.ts';
import { seededRandom } from './seeded-random.ts';
import { VirtualClock } from './virtual-clock.ts';

/** All writes, in order. */
export type Installation = { readonly events: readonly StoreEvent[] };

/** How far a virtual clock must be, so that all that was installed lies in the past. */
export const AFTER_INSTALLATION_MS = 60_000;

/** `directory`: the manifests of the package. */
export async function installOnce(directory: string): Promise<Installation> {
  const clock = new VirtualClock();
  const store = createMemoryStore();
  const env = { clock, random: seededRandom(1), log: silentLog };
  const server = await createApiServer({ store, env, tokenKey: new Uint8Array(32) });
  await meanwhile(clock, installManifests({ handle: server.handle, clock, directory }));
  await server.close();
  assert(clock.monotonic() < AFTER_INSTALLATION_MS, 'the manifests are installed in time');
  const to = store.revision();
  const history = store.history({ prefix: '', from: 0, to, limit: to });
  assert(history.kind === 'history' && history.through === to, 'the log reaches back to the beginning');
  await store.close();
  return { events: history.events };
}

/** The same objects at the same revisions. */
export async function storeWith({ events }: Installation, limits?: LogLimits): Promise<Store> {
  const store = createMemoryStore(limits);
  for (const event of events) {
    const { key, revision } = event;
    const written = await store.commit([
      event.kind === 'put'
        ? { kind: 'put', key, expect: 'any', value: event.value }
        : { kind: 'delete', key, expect: 'any' },
    ]);
    assert(written.kind === 'committed' && written.revision === revision, 'the log is written as it was');
  }
  return store;
}

/** Awaits work that takes real time, such as reading files, while virtual time advances. */
export async function meanwhile<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    await clock.advance(1);
  }
  return await work;
}
