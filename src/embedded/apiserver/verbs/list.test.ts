import { beforeEach, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../../base/env.ts';
import { createApiServer } from '../api-server.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import type { RangeQuery, Store } from '../store/store.ts';

const env = { clock: systemClock, random: systemRandom, log: silentLog };
const certificateUser = { name: 'admin', groups: ['system:masters'] };
const NODES = '/nodes/';

type Listed = {
  readonly metadata: { readonly continue?: string; readonly remainingItemCount?: number };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
};

describe('a list of the one object that a field selector names', () => {
  let store: Store;
  let ranges: RangeQuery[];
  let list: (query: string) => Promise<{ readonly status: number } & Listed>;

  beforeEach(async () => {
    store = createMemoryStore();
    ranges = [];
    for (const name of ['worker-1', 'worker-10', 'worker-2']) await put(name, {});
    const range: Store['range'] = (query) => {
      if (query.prefix.startsWith(NODES)) ranges.push(query);
      return Reflect.apply(original, store, [query]);
    };
    const original = store.range;
    store.range = range;
    const server = await createApiServer({ store, env, tokenKey: new Uint8Array(32) });
    list = async (query) => {
      const request = { method: 'GET', path: '/api/v1/nodes', query, headers: {}, body: new Uint8Array() };
      const { status, body } = await server.handle({ ...request, certificateUser });
      return { status, ...JSON.parse(new TextDecoder().decode(body as Uint8Array)) };
    };
  });

  async function put(name: string, labels: object): Promise<void> {
    const value = new TextEncoder().encode(JSON.stringify({ metadata: { name, labels }, spec: {} }));
    await store.commit([{ kind: 'put', key: `${NODES}${name}`, expect: 'any', value }]);
  }

  it.each([
    ['metadata.name=worker-1', ['worker-1']],
    ['metadata.name=worker', []],
    ['metadata.name=', []],
    ['metadata.name=worker-1,metadata.name=worker-2', []],
    ['metadata.name=worker-1,metadata.name!=worker-2', ['worker-1']],
  ])('finds with %j the nodes %j, without reading others', async (fieldSelector, names) => {
    const { items } = await list(`fieldSelector=${encodeURIComponent(fieldSelector)}`);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(ranges.map(({ limit }) => limit)).toEqual([1]);
  });

  it('matches its labels, too', async () => {
    await put('worker-2', { zone: 'a' });
    const named = (name: string) => `fieldSelector=metadata.name%3D${name}&labelSelector=zone%3Da`;
    expect((await list(named('worker-2'))).items).toHaveLength(1);
    expect((await list(named('worker-1'))).items).toHaveLength(0);
  });

  it('has no further pages, although other objects follow', async () => {
    const { items, metadata } = await list('fieldSelector=metadata.name%3Dworker-1&limit=1');
    expect(items).toHaveLength(1);
    expect([metadata.continue, metadata.remainingItemCount]).toEqual([undefined, undefined]);
  });

  it('shows it as it was at an earlier version', async () => {
    const revision = store.revision();
    await put('worker-1', { zone: 'b' });
    const at = `resourceVersion=${revision}&resourceVersionMatch=Exact`;
    const { items } = await list(`fieldSelector=metadata.name%3Dworker-1&${at}`);
    expect(items).toMatchObject([{ metadata: { name: 'worker-1', labels: {} } }]);
  });
});
