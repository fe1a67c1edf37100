import { describe, expect, it } from 'vitest';
import { type Canned, CannedTransport } from '../../../test/kube/canned-transport.ts';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import { Failure } from '../../base/errors.ts';
import { configMap, node } from '../types/index.ts';
import { createKube } from './client.ts';
import { CONTROLLER_REQUEST_LIMITS, type RequestLimits } from './request-limits.ts';

type Answers = readonly (Canned | 'hang' | Error)[];

function world(answers: Answers, limits: Partial<RequestLimits> = {}) {
  const env = virtualEnv();
  const transport = new CannedTransport(env.clock, answers);
  const kube = createKube({ transport, env, fieldManager: 'tests', userAgent: 'tests/1', limits });
  return { env, transport, kube };
}

const thing = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', resourceVersion: '1' } };
const later = (status: number, retryAfter: string): Canned => ({
  status,
  headers: { 'retry-after': retryAfter },
  body: { kind: 'Status', message: 'not now', reason: 'TooManyRequests' },
});

describe('a request', () => {
  it('sends its path, field manager, headers and body', async () => {
    const { kube, transport } = world([{ body: thing }]);
    await kube.patch(node, { name: 'n' }, { type: 'merge', body: { a: 'ü' } }, { subresource: 'status' });
    const [asked] = transport.asked;
    expect(asked).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/nodes/n/status',
      query: 'fieldManager=tests',
      headers: {
        accept: 'application/json',
        'content-type': 'application/merge-patch+json',
        'user-agent': 'tests/1',
      },
    });
    expect(new TextDecoder().decode(asked?.body)).toBe('{"a":"ü"}');
  });

  it('is answered whole even if a character spans two chunks', async () => {
    const body = { ...thing, spec: { providerID: 'äöü€𝄞' } };
    const { kube } = world([{ body, pieceBytes: 1 }]);
    expect((await kube.get(node, { name: 'n' }))?.spec?.providerID).toBe('äöü€𝄞');
  });

  it('is not retried automatically, whatever fails', async () => {
    const failures: Answers = [
      new Failure('transient', 'Unreachable', 'gone'),
      { status: 500 },
      { status: 503 },
    ];
    for (const failure of failures) {
      const { kube, transport } = world([failure, { body: thing }]);
      await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ kind: 'transient' });
      expect(transport.asked).toHaveLength(1);
    }
  });

  it('times out without a response', async () => {
    const { kube, env } = world(['hang']);
    const answer = kube.get(node, { name: 'n' });
    await expect(env.clock.resolved(answer, 61_000)).rejects.toMatchObject({
      ...{ kind: 'transient', reason: 'Timeout', message: 'GET /api/v1/nodes/n: no answer within 60 s' },
    });
    expect([env.clock.monotonic(), env.clock.pending]).toEqual([60_000, 0]);
  });

  it.each([
    ['not JSON', '{"metadata":'],
    ['empty', ''],
    ['not an object', '[]'],
    ['an object without a name', '{"metadata":{}}'],
    ['an object with a strange version', '{"metadata":{"name":"n","resourceVersion":7}}'],
  ])('fails if the response is %s', async (_, body) => {
    const { kube } = world([{ body }]);
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({
      kind: 'transient',
      reason: 'BadAnswer',
    });
  });

  it('never quotes an unreadable body, which may be a secret', async () => {
    const { kube } = world([{ body: '{"data":{"password":"hunter2' }]);
    const error: unknown = await kube.get(node, { name: 'n' }).catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
  });

  it('limits the size of the response', async () => {
    const { kube } = world([{ body: { ...thing, filler: 'x'.repeat(100) } }], { answerBytes: 100 });
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ reason: 'BadAnswer' });
  });
});

describe('an error response', () => {
  it.each([
    [400, 'BadRequest', 'stalled'],
    [401, 'Unauthorized', 'stalled'],
    [403, 'Forbidden', 'stalled'],
    [405, 'MethodNotAllowed', 'stalled'],
    [408, 'Timeout', 'transient'],
    [409, 'Conflict', 'transient'],
    [409, 'AlreadyExists', 'stalled'],
    [410, 'Expired', 'transient'],
    [413, 'RequestEntityTooLarge', 'stalled'],
    [422, 'Invalid', 'stalled'],
    [429, 'TooManyRequests', 'transient'],
    [500, 'InternalError', 'transient'],
    [502, 'Unknown', 'transient'],
    [504, 'Timeout', 'transient'],
  ])('with %i %s is %s', async (code, reason, kind) => {
    const { kube } = world([{ status: code, body: { kind: 'Status', code, reason, message: 'no' } }]);
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ code, reason, kind, message: 'no' });
  });

  it('without a Status is quoted up to a limit', async () => {
    const { kube } = world([{ status: 502, body: `<html>${'x'.repeat(5_000)}` }]);
    const error: unknown = await kube.get(node, { name: 'n' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 502, reason: 'Unknown', kind: 'transient' });
    expect(String(error)).toMatch(/^KubeError: GET \/api\/v1\/nodes\/n: the server answered 502: <html>xxx/);
    expect(String(error).length).toBeLessThan(1_200);
  });

  it.each([
    [{ details: 7, causes: 'x' }],
    [{ details: { causes: [null, 7, { reason: 3, field: 'f' }], retryAfterSeconds: 'soon', name: {} } }],
    [{ reason: { a: 1 }, message: ['x'], code: 'y' }],
    [{ __proto__: null, details: { causes: {} } }],
  ])('with a malformed Status is still an error: %j', async (odd) => {
    const { kube } = world([{ status: 400, body: { kind: 'Status', ...odd } }]);
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ code: 400, kind: 'stalled' });
  });

  it('with 404 means that the object is missing only if it names the object', async () => {
    const notServed = {
      status: 404,
      body: { kind: 'Status', reason: 'NotFound', message: 'x', details: {} },
    };
    const absent = { status: 404, body: { kind: 'Status', reason: 'NotFound', details: { name: 'n' } } };
    const { kube } = world([notServed, { status: 404, body: '404 page not found' }, absent, absent]);
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ code: 404 });
    await expect(kube.delete(node, { name: 'n' })).rejects.toMatchObject({ code: 404 });
    expect(await kube.get(node, { name: 'n' })).toBeUndefined();
    expect(await kube.delete(node, { name: 'n' })).toBe(false);
  });
});

describe('Retry-After', () => {
  it('delays the next attempt', async () => {
    const { kube, env, transport } = world([later(429, '3'), later(503, '5'), { body: thing }]);
    const got = await env.clock.resolved(kube.get(node, { name: 'n' }), 60_000);
    expect(got?.metadata.name).toBe('n');
    const [first = 0, second = 0, third = 0] = transport.asked.map(({ atMs }) => atMs);
    expect([first, second >= 3_000, second <= 3_300]).toEqual([0, true, true]);
    expect([third - second >= 5_000, third - second <= 5_500]).toEqual([true, true]);
  });

  it('is respected a few times, then the request fails', async () => {
    const { kube, env, transport } = world(Array.from({ length: 9 }, () => later(429, '1')));
    const answer = env.clock.resolved(kube.get(node, { name: 'n' }), 60_000);
    await expect(answer).rejects.toMatchObject({ code: 429, retryAfterMs: 1_000, kind: 'transient' });
    expect(transport.asked).toHaveLength(4);
  });

  it('is not waited for if it is too long: the error carries it', async () => {
    const { kube, env, transport } = world([later(503, '120'), later(429, '20'), later(429, '20')]);
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ code: 503, retryAfterMs: 120_000 });
    const second = env.clock.resolved(kube.get(node, { name: 'n' }), 60_000);
    await expect(second).rejects.toMatchObject({ code: 429 });
    expect(transport.asked).toHaveLength(3);
  });

  it.each(['Wed, 21 Oct 2026 07:28:00 GMT', '-5', '0', '', '1e9', '99999999999'])(
    'is ignored, without a retry, if it is %j',
    async (header) => {
      const { kube, transport } = world([later(429, header), { body: thing }]);
      await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({
        code: 429,
        retryAfterMs: undefined,
      });
      expect(transport.asked).toHaveLength(1);
    },
  );

  it('delays all requests of the same client', async () => {
    const fine = Array.from({ length: 20 }, () => ({ body: thing }));
    const { kube, env, transport } = world([later(429, '5'), ...fine]);
    const first = kube.get(node, { name: 'n' });
    await env.clock.advance(1_000);
    const others = Array.from({ length: 10 }, () => kube.get(node, { name: 'n' }));
    await env.clock.resolved(Promise.all([first, ...others]), 60_000);
    const [asked = 0, ...again] = transport.asked.map(({ atMs }) => atMs);
    expect([asked, again.length]).toEqual([0, 11]);
    expect(Math.min(...again)).toBeGreaterThanOrEqual(5_000);
    // One after the other, and soon.
    expect([Math.max(...again) <= 6_000, new Set(again).size > 5]).toEqual([true, true]);
  });

  it('does not delay other requests if it is too long', async () => {
    const { kube, env } = world([later(503, '120'), { body: thing }]);
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ code: 503 });
    await kube.get(node, { name: 'n' });
    expect(env.clock.monotonic()).toBe(0);
  });

  it('of a disruption budget delays no other request', async () => {
    const causes = [{ reason: 'DisruptionBudget', message: 'b' }];
    const body = { kind: 'Status', message: 'Cannot evict.', details: { causes } };
    const { kube, env } = world([{ status: 429, headers: { 'retry-after': '10' }, body }, { body: thing }]);
    await kube.evict({ namespace: 's', name: 'p' });
    await kube.get(node, { name: 'n' });
    expect(env.clock.monotonic()).toBe(0);
  });

  it('is not waited for during shutdown', async () => {
    const { kube, env, transport } = world([later(429, '5'), { body: thing }]);
    const answer = kube.get(node, { name: 'n' });
    const rejected = expect(answer).rejects.toMatchObject({ code: 429 });
    await env.clock.settle();
    env.stop();
    await rejected;
    expect([transport.asked.length, env.clock.pending]).toEqual([1, 0]);
  });
});

describe('an eviction', () => {
  const busy = { status: 429, headers: { 'retry-after': '2' }, body: { kind: 'Status', message: 'busy' } };
  const place = { namespace: 's', name: 'p' };

  it('that a budget blocks fails at once, with the budget', async () => {
    const causes = [{ reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods.' }];
    const body = { kind: 'Status', message: 'Cannot evict.', details: { causes } };
    const { kube, env } = world([
      { status: 429, headers: { 'retry-after': '10' }, body },
      { status: 429, body },
    ]);
    const message = 'Cannot evict. The disruption budget b needs 1 healthy pods.';
    expect(await kube.evict(place)).toEqual({ kind: 'refused', message, retryAfterMs: 10_000 });
    expect(await kube.evict(place)).toEqual({ kind: 'refused', message, retryAfterMs: 5_000 });
    expect(env.clock.monotonic()).toBe(0);
  });

  it('is retried on a busy server like any request', async () => {
    const { kube, env, transport } = world([busy, { body: { kind: 'Status' } }]);
    expect(await env.clock.resolved(kube.evict(place), 10_000)).toEqual({ kind: 'accepted' });
    expect(transport.asked).toHaveLength(2);
  });

  it('has the UID as precondition, and reports the pod as gone if its name has another UID', async () => {
    const conflict = { status: 409, body: { kind: 'Status', reason: 'Conflict', message: 'another uid' } };
    const found = (uid: string) => ({ body: { metadata: { name: 'p', namespace: 's', uid } } });
    const later = world([conflict, found('later')]);
    expect(await later.kube.evict(place, { uid: 'meant', gracePeriodSeconds: 5 })).toEqual({ kind: 'gone' });
    expect(JSON.parse(new TextDecoder().decode(later.transport.asked[0]?.body))).toMatchObject({
      deleteOptions: { gracePeriodSeconds: 5, preconditions: { uid: 'meant' } },
    });
    const same = world([conflict, found('meant')]);
    await expect(same.kube.evict(place, { uid: 'meant' })).rejects.toMatchObject({ code: 409 });
    const unasked = world([conflict]);
    await expect(unasked.kube.evict(place)).rejects.toMatchObject({ code: 409 });
    expect(unasked.transport.asked).toHaveLength(1);
  });

  it('is rejected if two budgets match the pod', async () => {
    const { kube } = world([{ status: 500, body: { kind: 'Status', message: 'two budgets' } }]);
    await expect(kube.evict(place)).rejects.toMatchObject({ code: 500, message: 'two budgets' });
  });
});

describe('a create of a subresource', () => {
  const bound = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: { podCIDR: 'x' } };

  it('may be answered with a Status of Success', async () => {
    const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
    const { kube } = world([
      { status: 201, body },
      { status: 201, body },
    ]);
    expect(await kube.create(node, bound, { subresource: 'binding' })).toEqual(bound);
    await expect(kube.create(node, bound)).rejects.toMatchObject({ reason: 'BadAnswer' });
  });

  it.each([
    ['a failure', { kind: 'Status', metadata: {}, status: 'Failure' }],
    ['something else', { kind: 'Other', metadata: {}, status: 'Success' }],
  ])('fails if the response is %s', async (_, body) => {
    const { kube } = world([{ status: 201, body }]);
    await expect(kube.create(node, bound, { subresource: 'binding' })).rejects.toMatchObject({
      kind: 'transient',
      reason: 'BadAnswer',
    });
  });
});

describe('the rate limit', () => {
  it('lets a burst through and spreads the rest', async () => {
    const limits = { rate: { perSecond: 10, burst: 5 } };
    const { kube, env, transport } = world(
      Array.from({ length: 20 }, () => ({ body: thing })),
      limits,
    );
    const all = Promise.all(Array.from({ length: 20 }, () => kube.get(node, { name: 'n' })));
    await env.clock.resolved(all, 10_000);
    const times = transport.asked.map(({ atMs }) => Math.round(atMs));
    expect(times.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(times.slice(5)).toEqual(Array.from({ length: 15 }, (_, index) => (index + 1) * 100));
  });

  it('of controllers is high enough for 500 nodes, the default one is not', async () => {
    const requestsPerNode = 22;
    const lastsMs = async (limits: Partial<RequestLimits>) => {
      const count = 500 * requestsPerNode;
      const { kube, env } = world(
        Array.from({ length: count }, () => ({ body: thing })),
        limits,
      );
      const all = Promise.all(Array.from({ length: count }, () => kube.get(node, { name: 'n' })));
      await env.clock.resolved(all, 3_600_000);
      return env.clock.monotonic();
    };
    expect(await lastsMs(CONTROLLER_REQUEST_LIMITS)).toBeLessThanOrEqual(15_000);
    expect(await lastsMs({})).toBeGreaterThan(300_000);
  });

  it('allows requests during shutdown, but no waiting', async () => {
    const { kube, env } = world([{ body: thing }, { body: thing }], { rate: { perSecond: 1, burst: 1 } });
    env.stop();
    expect(await kube.get(node, { name: 'n' })).toBeDefined();
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ kind: 'cancelled' });
  });
});

describe('a list', () => {
  const page = (names: readonly string[], next?: string): Canned => ({
    body: {
      metadata: { resourceVersion: '9', continue: next },
      items: names.map((name) => ({ metadata: { name } })),
    },
  });

  it('is requested page by page, with the selectors on each', async () => {
    const { kube, transport } = world([page(['a'], 'x/1'), page(['b', 'c'])]);
    const selection = { namespace: 's', labelSelector: 'a=b,c' };
    const { items, resourceVersion } = await kube.list(configMap, selection);
    expect([items.map(({ metadata }) => metadata.name), resourceVersion]).toEqual([['a', 'b', 'c'], '9']);
    expect(transport.asked.map(({ path, query }) => `${path}?${query}`)).toEqual([
      '/api/v1/namespaces/s/configmaps?labelSelector=a%3Db%2Cc&limit=500',
      '/api/v1/namespaces/s/configmaps?labelSelector=a%3Db%2Cc&limit=500&continue=x%2F1',
    ]);
  });

  it('that expires is requested once more, from the start and without pages', async () => {
    const gone = { status: 410, body: { kind: 'Status', reason: 'Expired', message: 'gone' } };
    const { kube, transport } = world([page(['a'], 'x'), gone, page(['b']), page(['a'], 'x'), gone, gone]);
    expect((await kube.list(configMap)).items.map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect(transport.asked[2]?.query).toBe('');
    await expect(kube.list(configMap)).rejects.toMatchObject({ code: 410, kind: 'transient' });
  });

  it('may have null items', async () => {
    const { kube } = world([{ body: { metadata: { resourceVersion: '1' }, items: null } }]);
    expect((await kube.list(configMap)).items).toEqual([]);
  });

  it.each([
    [{}],
    [{ metadata: {}, items: {} }],
    [{ metadata: { continue: 7 } }],
    [{ metadata: {}, items: [{}] }],
  ])('is rejected if it is %j', async (body) => {
    const { kube } = world([{ body }]);
    await expect(kube.list(configMap)).rejects.toMatchObject({ reason: 'BadAnswer', kind: 'transient' });
  });
});
