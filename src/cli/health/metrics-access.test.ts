import { describe, expect, it } from 'vitest';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import type { Transport, TransportRequest } from '../../kubernetes/client/index.ts';
import { MetricsAccess } from './metrics-access.ts';

type Rules = { readonly users: { readonly [token: string]: string }; readonly readers: readonly string[] };

/** An API server that answers reviews, and what it was asked. */
function reviewing(rules: Rules) {
  const asked: { readonly path: string; readonly spec: { readonly [field: string]: unknown } }[] = [];
  const state: { isDown: boolean; hangs: boolean } = { isDown: false, hangs: false };
  const send = async ({ path, body }: TransportRequest) => {
    if (state.isDown) throw new Error('connection refused, token=secret');
    if (state.hangs) return await new Promise<never>(() => undefined);
    const { spec } = JSON.parse(new TextDecoder().decode(body));
    asked.push({ path, spec });
    const user = Object.hasOwn(rules.users, spec.token) ? rules.users[spec.token] : undefined;
    const status = path.endsWith('tokenreviews')
      ? { authenticated: user !== undefined, user: { username: user, groups: ['g'] } }
      : { allowed: rules.readers.includes(spec.user) };
    const text = JSON.stringify({ metadata: {}, status });
    return {
      status: 201,
      headers: {},
      body: (async function* () {
        yield new TextEncoder().encode(text);
      })(),
    };
  };
  const transport: Transport = { send };
  return { transport, asked, state };
}

function accessTo(server: ReturnType<typeof reviewing>) {
  const env = virtualEnv();
  const { clock } = env;
  return { clock, access: new MetricsAccess({ transport: server.transport, clock, userAgent: 'test' }) };
}

const RULES: Rules = { users: { good: 'prometheus', other: 'somebody' }, readers: ['prometheus'] };

describe('MetricsAccess', () => {
  it.each([
    [undefined, 401, 0],
    ['Basic Zm9v', 401, 0],
    ['Bearer ', 401, 0],
    [`Bearer ${'x'.repeat(20_000)}`, 401, 0],
    ['Bearer unknown', 401, 1],
    ['Bearer other', 403, 2],
    ['Bearer good', 200, 2],
    ['bearer good', 200, 2],
  ])('answers "%s" with %i after %i reviews', async (header, code, reviews) => {
    const server = reviewing(RULES);
    expect((await accessTo(server).access.check(header)).code).toBe(code);
    expect(server.asked.length).toBe(reviews);
  });

  it('asks whether the user of the token may get the non-resource URL /metrics', async () => {
    const server = reviewing(RULES);
    await accessTo(server).access.check('Bearer good');
    expect(server.asked).toMatchObject([
      { path: '/apis/authentication.k8s.io/v1/tokenreviews', spec: { token: 'good' } },
      {
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        spec: {
          user: 'prometheus',
          groups: ['g'],
          nonResourceAttributes: { path: '/metrics', verb: 'get' },
        },
      },
    ]);
  });

  it('keeps answers for a minute, refusals for ten seconds', async () => {
    const server = reviewing(RULES);
    const { access, clock } = accessTo(server);
    await access.check('Bearer good');
    await access.check('Bearer other');
    await clock.advance(9_000);
    await access.check('Bearer good');
    await access.check('Bearer other');
    expect(server.asked.length).toBe(4);
    await clock.advance(2_000);
    await access.check('Bearer good');
    await access.check('Bearer other');
    expect(server.asked.length).toBe(6);
    await clock.advance(50_000);
    await access.check('Bearer good');
    expect(server.asked.length).toBe(8);
  });

  it('asks once for requests with the same token at the same time, and refuses more than a few tokens', async () => {
    const server = reviewing(RULES);
    const { access } = accessTo(server);
    const codes = async (headers: readonly string[]) =>
      (await Promise.all(headers.map((one) => access.check(one)))).map(({ code }) => code);
    expect(await codes(['Bearer good', 'Bearer good', 'Bearer good'])).toEqual([200, 200, 200]);
    expect(server.asked.length).toBe(2);
    expect(await codes(['1', '2', '3', '4', '5', '6'].map((one) => `Bearer t${one}`))).toEqual([
      401, 401, 401, 401, 429, 429,
    ]);
  });

  it('reports that the API server cannot be asked, says nothing of the token, and asks again', async () => {
    const server = reviewing(RULES);
    const { access, clock } = accessTo(server);
    server.state.isDown = true;
    const refused = await access.check('Bearer good');
    expect(refused).toEqual({
      code: 503,
      message: 'the API server cannot be asked whether you may read this\n',
    });
    server.state.isDown = false;
    server.state.hangs = true;
    const waiting = access.check('Bearer good');
    await clock.advance(6_000);
    expect((await waiting).code).toBe(503);
    server.state.hangs = false;
    expect((await access.check('Bearer good')).code).toBe(200);
  });
});
