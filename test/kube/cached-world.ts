/** A cache over a scripted server, in virtual time, and the changes that the cache reported. */

import type { Cache, CacheOptions, Change } from '../../src/kubernetes/client/index.ts';
import { createCaches } from '../../src/kubernetes/client/index.ts';
import type { Metrics } from '../../src/kubernetes/metrics/index.ts';
import { configMap } from '../../src/kubernetes/types/index.ts';
import { type VirtualEnv, virtualEnv } from '../support/virtual-env.ts';
import { ScriptedServer, type Thing } from './scripted-server.ts';

export type CachedWorld = {
  readonly env: VirtualEnv;
  readonly server: ScriptedServer;
  readonly cache: Cache<Thing>;
  readonly caches: ReturnType<typeof createCaches>;
  readonly changes: Change<Thing>[];
  /** Names and values, in order of names. */
  readonly cached: () => readonly string[];
  readonly served: () => readonly string[];
};

export function cachedWorld({ seed = 1, options = {}, metrics }: WorldOptions = {}): CachedWorld {
  const env = virtualEnv({ seed });
  const server = new ScriptedServer(env.clock);
  for (const name of ['a', 'b', 'c', 'd']) server.put(name, 'first');
  const caches = createCaches({
    transport: server,
    env,
    ...(metrics === undefined ? {} : { metrics }),
  });
  const cache: Cache<Thing> = caches.of<Thing>(configMap, options);
  const changes: Change<Thing>[] = [];
  cache.onChange((change) => changes.push(change));
  const shown = (things: Iterable<Thing>) =>
    [...things].map((thing) => `${thing.metadata.name}=${thing.data?.value} ${thing.metadata.uid}`).sort();
  return {
    ...{ env, server, cache, caches, changes },
    cached: () => shown(cache.all()),
    served: () => shown(server.things.values()),
  };
}

export type WorldOptions = {
  readonly seed?: number;
  readonly options?: CacheOptions<Thing>;
  readonly metrics?: Metrics;
};

/** Of each thing that was heard of: how often it came and went. Throws where that makes no sense. */
export function livesOf(changes: readonly Change<Thing>[]): ReadonlyMap<string, 'here' | 'gone'> {
  const lives = new Map<string, 'here' | 'gone'>();
  for (const { before, after } of changes) {
    const uid = (before ?? after)?.metadata.uid ?? '';
    const was = lives.get(uid);
    if (before === undefined && was !== undefined) throw new Error(`${uid} came twice (it was ${was})`);
    if (before !== undefined && was !== 'here')
      throw new Error(`${uid} changed or went while ${String(was)}`);
    if (before !== undefined && after !== undefined && before.metadata.uid !== after.metadata.uid) {
      throw new Error(`${uid} became another one without going`);
    }
    lives.set(uid, after === undefined ? 'gone' : 'here');
  }
  return lives;
}
