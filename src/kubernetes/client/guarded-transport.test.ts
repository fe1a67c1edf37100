import { describe, expect, it } from 'vitest';
import { CannedTransport } from '../../../test/kube/canned-transport.ts';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import { node } from '../types/index.ts';
import { createKube } from './client.ts';
import { guardedTransport } from './guarded-transport.ts';

it('a former leader may read, but not write', async () => {
  const env = virtualEnv();
  const body = { metadata: { name: 'n' } };
  const inner = new CannedTransport(env.clock, [{ body }, { body }]);
  let isLeading = true;
  const kube = createKube({
    transport: guardedTransport(inner, () => isLeading, new AbortController().signal),
    env,
    fieldManager: 'leader',
  });
  await kube.patch(node, { name: 'n' }, { type: 'merge', body: {} });
  isLeading = false;
  await expect(kube.patch(node, { name: 'n' }, { type: 'merge', body: {} })).rejects.toMatchObject({
    kind: 'cancelled',
  });
  await kube.get(node, { name: 'n' });
  expect(inner.asked.map(({ method }) => method)).toEqual(['PATCH', 'GET']);
});

describe('a request that is in flight when the term ends', () => {
  const world = () => {
    const env = virtualEnv();
    const over = new AbortController();
    const inner = new CannedTransport(env.clock, ['hang', { body: { metadata: { name: 'n' } } }]);
    const transport = guardedTransport(inner, () => !over.signal.aborted, over.signal);
    return { env, over, inner, kube: createKube({ transport, env, fieldManager: 'leader' }) };
  };

  it.each([
    ['write', 'PATCH'],
    ['read', 'GET'],
  ])('is aborted at once if it is a %s', async (_, method) => {
    const { env, over, inner, kube } = world();
    const place = { name: 'n' };
    const answer =
      method === 'GET' ? kube.get(node, place) : kube.patch(node, place, { type: 'merge', body: {} });
    const rejected = expect(answer).rejects.toMatchObject({ kind: 'cancelled' });
    await env.clock.advance(10_000);
    expect(inner.asked.map((asked) => [asked.method, asked.signal?.aborted])).toEqual([[method, false]]);
    over.abort();
    await rejected;
    expect(inner.asked[0]?.signal?.aborted).toBe(true);
    expect([env.clock.monotonic(), env.clock.pending]).toEqual([10_000, 0]);
  });

  it('is not aborted if it was answered in time, and can still be cancelled', async () => {
    const { env, over, inner } = world();
    const transport = guardedTransport(inner, () => true, over.signal);
    const unwanted = new AbortController();
    const request = { method: 'GET', path: '/', query: '', headers: {}, signal: unwanted.signal } as const;
    transport.send(request).catch(() => undefined);
    await transport.send(request);
    await env.clock.settle();
    over.abort();
    expect(inner.asked[1]?.signal?.aborted).toBe(false);
    unwanted.abort();
    expect(inner.asked[1]?.signal?.aborted).toBe(true);
  });
});
