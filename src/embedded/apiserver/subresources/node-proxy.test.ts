/** What is asked of nodes by way of the server: the test plays the nodes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../../base/env.ts';
import { Failure } from '../../../base/errors.ts';
import { type ApiServer, createApiServer } from '../api-server.ts';
import type { Request, Response } from '../http/http.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import type { Store } from '../store/store.ts';
import type { Kubelet, NodeProxyRequest, NodeProxyResponse } from './kubelet.ts';

const admin = { name: 'admin', groups: ['system:masters'] };
const encode = (text: string) => new TextEncoder().encode(text);
const NODE = '/api/v1/nodes/n';

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield encode(text);
}

describe('nodes/proxy', () => {
  let store: Store;
  let server: ApiServer;
  let asked: NodeProxyRequest[];
  let answer: (request: NodeProxyRequest) => NodeProxyResponse;

  const send = (method: string, path: string, more: Partial<Request> = {}): Promise<Response> =>
    server.handle({
      method,
      path,
      query: '',
      headers: {},
      body: new Uint8Array(),
      certificateUser: admin,
      ...more,
    });
  const create = async (path: string, object: object): Promise<void> => {
    const { status, body } = await send('POST', path, { body: encode(JSON.stringify(object)) });
    if (status !== 201) throw new Error(`creating at ${path}: ${await textOf(body)}`);
  };
  const refused = async (method: string, path: string, more: Partial<Request> = {}) => {
    const { status, body } = await send(method, path, more);
    const { code, reason, message } = JSON.parse(await textOf(body));
    expect(code).toBe(status);
    return reason === undefined ? [code, message] : [code, reason, message];
  };

  beforeEach(async () => {
    store = createMemoryStore();
    asked = [];
    answer = () => ({ status: 200, headers: [['content-type', 'text/plain']], body: pieces('o', 'k') });
    const kubelet: Kubelet = {
      containerLog: () => Promise.reject(new Error('no logs are requested')),
      proxy: async (request) => {
        asked.push(request);
        return answer(request);
      },
    };
    const env = { clock: systemClock, random: systemRandom, log: silentLog };
    server = await createApiServer({ store, env, tokenKey: new Uint8Array(32), kubelet });
    await create('/api/v1/nodes', {
      metadata: { name: 'n' },
      status: {
        addresses: [{ type: 'InternalIP', address: '10.0.0.7' }],
        daemonEndpoints: { kubeletEndpoint: { Port: 1234 } },
      },
    });
  });
  afterEach(async () => {
    await server.close();
    await store.close();
  });

  it.each<readonly [string, string, string, Partial<Request>, readonly unknown[]]>([
    [
      'a node that is not there',
      'GET',
      '/api/v1/nodes/m/proxy/healthz',
      {},
      [404, 'NotFound', 'nodes "m" not found'],
    ],
    [
      'a name in four parts',
      'GET',
      '/api/v1/nodes/a:b:c:d/proxy/',
      {},
      [400, 'BadRequest', 'invalid node request "a:b:c:d"'],
    ],
    [
      'another scheme',
      'GET',
      '/api/v1/nodes/ftp:n:1234/proxy/',
      {},
      [400, 'BadRequest', 'invalid node request "ftp:n:1234"'],
    ],
    [
      'another port',
      'GET',
      `${NODE}:9100/proxy/metrics`,
      {},
      [501, "nodes/proxy to another port than the kubelet's is not supported by this server"],
    ],
    [
      'a dry run',
      'GET',
      `${NODE}/proxy/`,
      { query: 'dryRun=All' },
      [400, 'BadRequest', 'dryRun is not supported'],
    ],
    [
      'an unknown method',
      'OPTIONS',
      `${NODE}/proxy/`,
      {},
      [405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource'],
    ],
    [
      'an unauthorized user',
      'PATCH',
      `${NODE}/proxy/x`,
      { certificateUser: { name: 'eve', groups: [] } },
      [
        403,
        'Forbidden',
        'nodes "n" is forbidden: User "eve" cannot patch resource "nodes/proxy" in API group "" at the cluster scope',
      ],
    ],
  ])('rejects %s without asking the node', async (_, method, path, more, expected) => {
    expect(await refused(method, path, more)).toEqual(expected);
    expect(asked).toEqual([]);
  });

  it('reports why a node cannot be reached', async () => {
    answer = () => {
      throw new Failure('transient', 'NodeUnreachable', 'node n at 10.0.0.7:1234: connect ECONNREFUSED');
    };
    expect(await refused('GET', `${NODE}/proxy/healthz`)).toEqual([
      503,
      'ServiceUnavailable',
      'error trying to reach service: node n at 10.0.0.7:1234: connect ECONNREFUSED',
    ]);
  });

  it('is subject to admission policies', async () => {
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    await create(policies, {
      metadata: { name: 'p' },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources: ['nodes/proxy'] },
          ],
        },
        validations: [{ expression: "!object.path.startsWith('run/')", message: 'no commands' }],
      },
    });
    await create(policies.replace(/policies$/, 'policybindings'), {
      metadata: { name: 'b' },
      spec: { policyName: 'p', validationActions: ['Deny'] },
    });
    expect((await send('GET', `${NODE}/proxy/healthz`)).status).toBe(200);
    const [code, , message] = await refused('POST', `${NODE}/proxy/run/a/b/c`);
    expect([code, message]).toEqual([
      422,
      "nodes \"n\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no commands",
    ]);
    expect(asked).toHaveLength(1);
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])('forwards %s unchanged', async (method) => {
    const { status, body } = await send(method, `${NODE}/proxy/a/b`, {
      query: 'x=1&x=2',
      headers: { accept: 'text/html', authorization: 'Bearer secret', host: 'here', 'content-type': 'a/b' },
      body: encode('sent'),
    });
    expect([status, await textOf(body)]).toEqual([200, 'ok']);
    expect(asked).toEqual([
      {
        node: 'n',
        host: '10.0.0.7',
        port: 1234,
        method,
        path: '/a/b',
        query: 'x=1&x=2',
        headers: {
          accept: 'text/html',
          'content-type': 'a/b',
          'x-forwarded-uri': '/api/v1/nodes/n/proxy/a/b',
        },
        body: encode('sent'),
      },
    ]);
  });

  it.each([
    [`${NODE}/proxy/`, '/'],
    [`${NODE}/proxy/logs/`, '/logs/'],
    [`${NODE}/proxy/a%2Fb%20c%3Fd`, '/a/b%20c%3Fd'],
    [`${NODE}/proxy//a/./b/../c`, '/a/c'],
    [`${NODE}/proxy/../../../secrets`, '/secrets'],
    [`${NODE}:1234/proxy/x`, '/x'],
    ['/api/v1/nodes/https:n:1234/proxy/x', '/x'],
  ])('forwards %s to %s', async (path, expected) => {
    expect((await send('GET', path)).status).toBe(200);
    expect(asked.map((one) => one.path)).toEqual([expected]);
  });

  it('redirects GET of the bare path and forwards POST to the root', async () => {
    const read = await send('GET', `${NODE}/proxy`, { query: 'a=b' });
    expect([read.status, read.headers]).toEqual([301, [['location', `${NODE}/proxy/?a=b`]]]);
    expect(asked).toEqual([]);
    await send('POST', `${NODE}/proxy`);
    expect(asked.map((one) => one.path)).toEqual(['/']);
  });

  it.each([
    ['/logs/', `${NODE}/proxy/logs/`],
    ['https://10.0.0.7:1234/logs/', `${NODE}/proxy/logs/`],
    [`${NODE}/proxy/logs/`, `${NODE}/proxy/logs/`],
    ['logs/', 'logs/'],
    ['https://example.com/', 'https://example.com/'],
    ['//example.com/', '//example.com/'],
  ])('returns the response of the node and rewrites %s to %s', async (location, expected) => {
    answer = () => ({
      status: 307,
      headers: [
        ['location', location],
        ['transfer-encoding', 'chunked'],
      ],
      body: pieces('elsewhere'),
    });
    const { status, headers, body } = await send('GET', `${NODE}/proxy/logs`);
    expect([status, headers, await textOf(body)]).toEqual([307, [['location', expected]], 'elsewhere']);
  });

  it('streams the response', async () => {
    let goOn = (): void => undefined;
    const more = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    answer = () => ({
      status: 200,
      headers: [],
      body: (async function* () {
        yield encode('first');
        await more;
        yield encode('second');
      })(),
    });
    const { body } = await send('GET', `${NODE}/proxy/stream`);
    if (body instanceof Uint8Array) throw new Error('it was kept until it was whole');
    const iterator = body[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual(encode('first'));
    goOn();
    expect((await iterator.next()).value).toEqual(encode('second'));
  });

  it('appears in discovery with the verbs of kube-apiserver', async () => {
    const { body } = await send('GET', '/api/v1');
    const { resources } = JSON.parse(await textOf(body));
    expect(resources.find((one: { name: string }) => one.name === 'nodes/proxy')).toEqual({
      name: 'nodes/proxy',
      singularName: '',
      namespaced: false,
      kind: 'NodeProxyOptions',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
    });
  });

  it('does not support proxies of pods and services', async () => {
    await expect(refused('GET', '/api/v1/namespaces/default/pods/p/proxy/a/b')).resolves.toEqual([
      501,
      'pods/proxy is not supported by this server',
    ]);
  });
});

async function textOf(body: Response['body']): Promise<string> {
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  let text = '';
  for await (const chunk of body) text += new TextDecoder().decode(chunk);
  return text;
}
