/**
 * A store in memory in which `manifests/` is installed, as a server finds it that was stopped and started again.
 *
 * Installing takes longer than many a story does, so it happens once per worker. Every story gets a store of its own,
 * into which the log of the first one is written again: the same objects at the same revisions.
 */
import { join } from 'node:path';
import { assert } from '../../src/base/errors.ts';
import {
  createApiServer,
  createMemoryStore,
  type LogLimits,
  type Store,
  type StoreEvent,
} from '../../src/embedded/apiserver/index.ts';
import { installManifests } from '../../src/embedded/up/install-manifests-node.ts';
import { meanwhile, virtualEnv } from './virtual-env.ts';

/** How far a virtual clock must be, so that all that was installed lies in the past. */
export const AFTER_INSTALLATION_MS = 60_000;

// Not relative to this file: benchmarks run it from a bundle.
const folder = join(process.cwd(), 'manifests');

export async function installedStore(limits: LogLimits): Promise<Store> {
  installing ??= install();
  const store = createMemoryStore(limits);
  for (const event of await installing) {
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

let installing: Promise<readonly StoreEvent[]> | undefined;

/** All writes, in order. */
async function install(): Promise<readonly StoreEvent[]> {
  const env = virtualEnv();
  const store = createMemoryStore();
  const server = await createApiServer({ store, env, tokenKey: new Uint8Array(32) });
  await meanwhile(env, installManifests({ handle: server.handle, clock: env.clock, directory: folder }));
  await server.close();
  assert(env.clock.monotonic() < AFTER_INSTALLATION_MS, 'the manifests are installed in time');
  const to = store.revision();
  const history = store.history({ prefix: '', from: 0, to, limit: to });
  assert(history.kind === 'history' && history.through === to, 'the log reaches back to the beginning');
  await store.close();
  return history.events;
}
