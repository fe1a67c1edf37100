import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/env.ts';
import {
  KubeError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../kubernetes/client/index.ts';
import { ClusterSession } from './cluster-session.ts';

type Scripted = {
  readonly status?: number;
  readonly headers?: TransportResponse['headers'];
  readonly body: string;
};

/** A server that answers each path with what is written for it, one after the other; the last again and again. */
function scripted(answers: { readonly [path: string]: readonly Scripted[] }) {
  const asked: TransportRequest[] = [];
  const warnings: string[] = [];
  const transport: Transport = {
    async send(request) {
      const before = asked.filter(({ path }) => path === request.path).length;
      asked.push(request);
      const all = answers[request.path] ?? [{ status: 404, body: 'nothing here' }];
      const { status = 200, headers = {}, body } = all[Math.min(before, all.length - 1)] ?? { body: '' };
      return { status, headers, body: bytesOf(body) };
    },
  };
  const warn = (text: string) => void warnings.push(text);
  const session = new ClusterSession({ transport, clock: systemClock, namespace: 'default', warn });
  return { session, asked, warnings };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

describe('ClusterSession errors', () => {
  it('do not quote a response that is not JSON', async () => {
    const { session } = scripted({ '/a': [{ body: 'token: hunter2' }] });
    await expect(session.request({ path: '/a' })).rejects.toThrow(
      '/a: the response of the server is not JSON',
    );
  });

  it('contain the message of the server', async () => {
    const status = {
      kind: 'Status',
      message: 'no such thing',
      reason: 'NotFound',
      code: 404,
      details: { name: 'x' },
    };
    const { session } = scripted({ '/a': [{ status: 404, body: JSON.stringify(status) }] });
    const error = await session.request({ path: '/a' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KubeError);
    expect(error).toMatchObject({ message: 'no such thing', code: 404 });
  });

  it('occur after a limited number of retries of an overloaded server', async () => {
    const busy = { status: 429, headers: { 'retry-after': '1' }, body: '' };
    const { session, asked } = scripted({ '/a': [busy, { body: '{}' }], '/b': [{ ...busy, headers: {} }] });
    await expect(session.request({ path: '/a' })).resolves.toEqual({ status: 200, body: {} });
    expect(asked).toHaveLength(2);
    await expect(session.request({ path: '/b' })).rejects.toThrow('429');
    expect(asked).toHaveLength(3);
  });
});

it('ClusterSession passes on each warning once', async () => {
  const warning = '299 - "v1beta1 is old", 299 - "say \\"v1\\""';
  const { session, warnings } = scripted({ '/a': [{ headers: { warning }, body: '{}' }] });
  await session.request({ path: '/a' });
  await session.request({ path: '/a' });
  expect(warnings).toEqual(['v1beta1 is old', 'say "v1"']);
});

it('ClusterSession supports servers without aggregated discovery, even if an extension API is down', async () => {
  const list = (groupVersion: string, name: string) => ({
    body: JSON.stringify({
      kind: 'APIResourceList',
      groupVersion,
      resources: [{ name, kind: 'K', verbs: [] }],
    }),
  });
  const group = (groupVersion: string) => ({
    versions: [{ groupVersion }],
    preferredVersion: { groupVersion },
  });
  const { session, asked } = scripted({
    '/api': [{ body: '{"kind":"APIVersions","versions":["v1"]}' }],
    '/apis': [{ body: JSON.stringify({ kind: 'APIGroupList', groups: [group('a/v1'), group('down/v1')] }) }],
    '/api/v1': [list('v1', 'pods')],
    '/apis/a/v1': [list('a/v1', 'apples')],
    '/apis/down/v1': [{ status: 503, body: 'service unavailable' }],
  });
  expect((await session.resources()).map(({ group, plural }) => [group, plural])).toEqual([
    ['', 'pods'],
    ['a', 'apples'],
  ]);
  const before = asked.length;
  await session.resources();
  expect(asked).toHaveLength(before);
  await session.refreshResources();
  expect(asked.length).toBeGreaterThan(before);
});
