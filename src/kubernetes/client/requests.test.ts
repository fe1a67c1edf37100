import { describe, expect, it } from 'vitest';
import { type Canned, CannedTransport } from '../../../test/kube/canned-transport.ts';
import { virtualEnv } from '../../../test/virtual-env.ts';
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
  it('says who asks, and for what', async () => {
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

  it('is read whole, also where a character comes in two pieces', async () => {
    const body = { ...thing, spec: { providerID: 'äöü€𝄞' } };
    const { kube } = world([{ body, pieceBytes: 1 }]);
    expect((await kube.get(node, { name: 'n' }))?.spec?.providerID).toBe('äöü€𝄞');
  });

  it('is not made again by itself, whatever fails', async () => {
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

  it('is given up when no answer comes', async () => {
    const { kube, env } = world(['hang']);
    const answer = kube.get(node, { name: 'n' });
    await expect(env.clock.resolved(answer, 61_000)).rejects.toMatchObject({
      ...{ kind: 'transient', reason: 'Timeout', message: 'GET /api/v1/nodes/n: no answer within 60 s' },
    });
    expect([env.clock.monotonic(), env.clock.pending]).toEqual([60_000, 0]);
  });

  it.each([
    ['no JSON', '{"metadata":'],
    ['nothing', ''],
    ['no object', '[]'],
    ['an object without a name', '{"metadata":{}}'],
    ['an object with a strange version', '{"metadata":{"name":"n","resourceVersion":7}}'],
  ])('is answered badly with %s', async (_, body) => {
    const { kube } = world([{ body }]);
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({
      kind: 'transient',
      reason: 'BadAnswer',
    });
  });

  it('never quotes what it cannot read: it may be a secret', async () => {
    const { kube } = world([{ body: '{"data":{"password":"hunter2' }]);
    const error: unknown = await kube.get(node, { name: 'n' }).catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
  });

  it('has a limit to its answer', async () => {
    const { kube } = world([{ body: { ...thing, filler: 'x'.repeat(100) } }], { answerBytes: 100 });
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ reason: 'BadAnswer' });
  });
});

describe('a refusal', () => {
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
  ])('of %i %s is %s', async (code, reason, kind) => {
    const { kube } = world([{ status: code, body: { kind: 'Status', code, reason, message: 'no' } }]);
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ code, reason, kind, message: 'no' });
  });

  it('that is no Status is told as it is, as far as anybody reads', async () => {
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
  ])('of any shape is a refusal: %j', async (odd) => {
    const { kube } = world([{ status: 400, body: { kind: 'Status', ...odd } }]);
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ code: 400, kind: 'stalled' });
  });

  it('with 404 means that there is no object only where it names the object', async () => {
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

describe('a server that says when to come again', () => {
  it('is asked again then, never before, and answers', async () => {
    const { kube, env, transport } = world([later(429, '3'), later(503, '5'), { body: thing }]);
    const got = await env.clock.resolved(kube.get(node, { name: 'n' }), 60_000);
    expect(got?.metadata.name).toBe('n');
    const [first = 0, second = 0, third = 0] = transport.asked.map(({ atMs }) => atMs);
    expect([first, second >= 3_000, second <= 3_300]).toEqual([0, true, true]);
    expect([third - second >= 5_000, third - second <= 5_500]).toEqual([true, true]);
  });

  it('is asked a few times only', async () => {
    const { kube, env, transport } = world(Array.from({ length: 9 }, () => later(429, '1')));
    const answer = env.clock.resolved(kube.get(node, { name: 'n' }), 60_000);
    await expect(answer).rejects.toMatchObject({ code: 429, retryAfterMs: 1_000, kind: 'transient' });
    expect(transport.asked).toHaveLength(4);
  });

  it('is not waited for longer than a while: whoever asks hears when', async () => {
    const { kube, env, transport } = world([later(503, '120'), later(429, '20'), later(429, '20')]);
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ code: 503, retryAfterMs: 120_000 });
    const second = env.clock.resolved(kube.get(node, { name: 'n' }), 60_000);
    await expect(second).rejects.toMatchObject({ code: 429 });
    expect(transport.asked).toHaveLength(3);
  });

  it.each(['Wed, 21 Oct 2026 07:28:00 GMT', '-5', '0', '', '1e9', '99999999999'])(
    'but in words that mean nothing (%j) is not asked again',
    async (words) => {
      const { kube, transport } = world([later(429, words), { body: thing }]);
      await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({
        code: 429,
        retryAfterMs: undefined,
      });
      expect(transport.asked).toHaveLength(1);
    },
  );

  it('is left alone until then by all who share the client', async () => {
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

  it('is not kept waiting for by others where it names a time that is too long for anybody', async () => {
    const { kube, env } = world([later(503, '120'), { body: thing }]);
    await expect(kube.get(node, { name: 'n' })).rejects.toMatchObject({ code: 503 });
    await kube.get(node, { name: 'n' });
    expect(env.clock.monotonic()).toBe(0);
  });

  it('speaks of a budget to one pod alone', async () => {
    const causes = [{ reason: 'DisruptionBudget', message: 'b' }];
    const body = { kind: 'Status', message: 'Cannot evict.', details: { causes } };
    const { kube, env } = world([{ status: 429, headers: { 'retry-after': '10' }, body }, { body: thing }]);
    await kube.evict({ namespace: 's', name: 'p' });
    await kube.get(node, { name: 'n' });
    expect(env.clock.monotonic()).toBe(0);
  });

  it('is not waited for by a program that stops', async () => {
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

  it('that a budget refuses is answered at once, with the budget', async () => {
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

  it('that meets a busy server is tried again, as anything else', async () => {
    const { kube, env, transport } = world([busy, { body: { kind: 'Status' } }]);
    expect(await env.clock.resolved(kube.evict(place), 10_000)).toEqual({ kind: 'accepted' });
    expect(transport.asked).toHaveLength(2);
  });

  it('is of the very pod that was meant, and another of its name means that one is gone', async () => {
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

  it('that two budgets make impossible is rejected', async () => {
    const { kube } = world([{ status: 500, body: { kind: 'Status', message: 'two budgets' } }]);
    await expect(kube.evict(place)).rejects.toMatchObject({ code: 500, message: 'two budgets' });
  });
});

describe('what goes through a door of an object', () => {
  const bound = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: { podCIDR: 'x' } };

  it('may be answered with no more than a success', async () => {
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
  ])('is answered badly with %s', async (_, body) => {
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

  it('is no limit to a controller that moves 500 nodes, and one to a client that says nothing', async () => {
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

  it('lets a program that stops say its last words, but not wait to say them', async () => {
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

  it('is asked for page by page, with what is selected on each', async () => {
    const { kube, transport } = world([page(['a'], 'x/1'), page(['b', 'c'])]);
    const selection = { namespace: 's', labelSelector: 'a=b,c' };
    const { items, resourceVersion } = await kube.list(configMap, selection);
    expect([items.map(({ metadata }) => metadata.name), resourceVersion]).toEqual([['a', 'b', 'c'], '9']);
    expect(transport.asked.map(({ path, query }) => `${path}?${query}`)).toEqual([
      '/api/v1/namespaces/s/configmaps?labelSelector=a%3Db%2Cc&limit=500',
      '/api/v1/namespaces/s/configmaps?labelSelector=a%3Db%2Cc&limit=500&continue=x%2F1',
    ]);
  });

  it('that expires is asked for once more, from its start and in one', async () => {
    const gone = { status: 410, body: { kind: 'Status', reason: 'Expired', message: 'gone' } };
    const { kube, transport } = world([page(['a'], 'x'), gone, page(['b']), page(['a'], 'x'), gone, gone]);
    expect((await kube.list(configMap)).items.map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect(transport.asked[2]?.query).toBe('');
    await expect(kube.list(configMap)).rejects.toMatchObject({ code: 410, kind: 'transient' });
  });

  it('of nothing may be null', async () => {
    const { kube } = world([{ body: { metadata: { resourceVersion: '1' }, items: null } }]);
    expect((await kube.list(configMap)).items).toEqual([]);
  });

  it.each([
    [{}],
    [{ metadata: {}, items: {} }],
    [{ metadata: { continue: 7 } }],
    [{ metadata: {}, items: [{}] }],
  ])('is not what %j is', async (body) => {
    const { kube } = world([{ body }]);
    await expect(kube.list(configMap)).rejects.toMatchObject({ reason: 'BadAnswer', kind: 'transient' });
  });
});
