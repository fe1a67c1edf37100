import { describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../base/env.ts';
import { isObject } from '../../base/json.ts';
import { createApiServer } from './api-server.ts';
import { createMemoryStore } from './store/memory-store.ts';
import type { Store } from './store/store.ts';

const env = { clock: systemClock, random: systemRandom, log: silentLog };

/** What a server finds at `path` that was started on the store, at this port. */
async function startedOn(store: Store, port: number, path: string): Promise<unknown> {
  const server = await createApiServer({ store, env, tokenKey: new Uint8Array(32), port });
  const { body } = await server.handle({
    method: 'GET',
    path,
    query: '',
    headers: {},
    body: new Uint8Array(),
    certificateUser: { name: 'admin', groups: ['system:masters'] },
  });
  await server.close();
  return body instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(body)) : undefined;
}

describe('bootstrap', () => {
  const service = '/api/v1/namespaces/default/services/kubernetes';
  const portOf = (found: unknown) => (isObject(found) && isObject(found.spec) ? found.spec.ports : undefined);
  const https = { name: 'https', port: 443, protocol: 'TCP' };

  it('creates the Service with the port of the server', async () => {
    const found = await startedOn(createMemoryStore(), 7000, service);
    expect(found).toMatchObject({ spec: { clusterIP: '10.96.0.1', type: 'ClusterIP' } });
    expect(portOf(found)).toEqual([{ ...https, targetPort: 7000 }]);
  });

  it('writes nothing if everything exists', async () => {
    const store = createMemoryStore();
    await startedOn(store, 7000, service);
    const revision = store.revision();
    await startedOn(store, 7000, service);
    expect(store.revision()).toBe(revision);
  });

  it('updates the port of the Service and nothing else', async () => {
    const store = createMemoryStore();
    const before = await startedOn(store, 7000, service);
    const after = await startedOn(store, 8000, service);
    expect(portOf(after)).toEqual([{ ...https, targetPort: 8000 }]);
    const rest = (found: unknown) =>
      isObject(found) && isObject(found.spec) ? { ...found.spec, ports: [] } : found;
    expect(rest(after)).toEqual(rest(before));
  });
});
