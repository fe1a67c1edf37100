/** Nodes over real sockets: the test plays the kubelet. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/env.ts';
import { createAuthority, issueClientCertificate, issueServerCertificate } from '../pki/certificates-node.ts';
import type { Kubelet, NodeProxyRequest } from '../subresources/kubelet.ts';
import { createKubelet } from './kubelet-node.ts';

const clock = systemClock;
const authority = createAuthority(clock);
const own = issueServerCertificate(createAuthority(clock), { clock, hostName: 'node' });
const ours = issueClientCertificate(authority, { clock, name: 'kube-apiserver', groups: [] });

type Heard = { readonly line: string; readonly headers: IncomingMessage['headers']; readonly body: string };

describe('createKubelet', () => {
  let server: Server;
  let kubelet: Kubelet;
  let port: number;
  let heard: Heard[] = [];
  let answer: (response: ServerResponse) => void = () => undefined;

  beforeAll(async () => {
    kubelet = createKubelet(ours);
    // Nobody that the server knows has signed it, as with real nodes.
    server = createServer({
      cert: own.certPem,
      key: own.keyPem,
      requestCert: true,
      rejectUnauthorized: false,
    });
    server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      heard.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      answer(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A server that listens on a port has an address with a port.
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => {
    heard = [];
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const request = (more: Partial<NodeProxyRequest> = {}): NodeProxyRequest => ({
    node: 'n',
    host: '127.0.0.1',
    port,
    method: 'GET',
    path: '/healthz',
    query: '',
    headers: {},
    body: new Uint8Array(),
    ...more,
  });

  it('reports which node cannot be reached', async () => {
    const closed = createServer();
    closed.listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const free = (closed.address() as AddressInfo).port;
    closed.close();
    await once(closed, 'close');
    await expect(kubelet.proxy(request({ port: free }))).rejects.toMatchObject({
      kind: 'transient',
      reason: 'NodeUnreachable',
      message: expect.stringMatching(`^node n at 127\\.0\\.0\\.1:${free}: .*ECONNREFUSED`),
    });
  });

  it('aborts the request when the client disconnects', async () => {
    const gone = new AbortController();
    answer = () => gone.abort();
    await expect(kubelet.proxy(request({ signal: gone.signal }))).rejects.toMatchObject({
      reason: 'NodeUnreachable',
    });
  });

  it('forwards the request unchanged', async () => {
    answer = (response) =>
      response
        .writeHead(418, [...['X-A', 'grüße'], ...['Set-Cookie', 'a=b'], ...['Set-Cookie', 'c=d']].map(latin))
        .end('short');
    const { status, headers, body } = await kubelet.proxy(
      request({
        method: 'DELETE',
        path: '/a%20b',
        query: 'x=grüße y&z',
        headers: { 'x-name': 'Jürgen 🎉', accept: 'text/html' },
        body: new TextEncoder().encode('{"grace":0}'),
      }),
    );
    expect(heard).toMatchObject([
      {
        line: 'DELETE /a%20b?x=gr%C3%BC%C3%9Fe%20y&z',
        headers: { 'x-name': latin('Jürgen 🎉'), accept: 'text/html', 'content-length': '11' },
        body: '{"grace":0}',
      },
    ]);
    expect(status).toBe(418);
    expect(headers.filter(([name]) => name === 'set-cookie')).toEqual([
      ['set-cookie', 'a=b'],
      ['set-cookie', 'c=d'],
    ]);
    expect(await textOf(body)).toBe('short');
  });

  it('streams the response of the node', async () => {
    const pieces: ServerResponse[] = [];
    answer = (response) => {
      pieces.push(response);
      response.write('first');
    };
    const { body } = await kubelet.proxy(request());
    const iterator = body[Symbol.asyncIterator]();
    expect(String((await iterator.next()).value)).toBe('first');
    pieces[0]?.end('second');
    expect(String((await iterator.next()).value)).toBe('second');
    expect((await iterator.next()).done).toBe(true);
  });

  it('requests the log of a container', async () => {
    answer = (response) => response.writeHead(400, { 'content-type': 'text/html' }).end('no');
    const log = await kubelet.containerLog({
      node: 'n',
      host: '127.0.0.1',
      port,
      namespace: 'a b',
      pod: 'p',
      container: 'c',
      query: 'follow=true',
    });
    expect([log.status, log.contentType, await textOf(log.body)]).toEqual([400, 'text/html', 'no']);
    expect(heard.map(({ line }) => line)).toEqual(['GET /containerLogs/a%20b/p/c?follow=true']);
  });
});

/** UTF-8 as Node shows it in headers: one character for each byte. */
function latin(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of body) text += new TextDecoder().decode(chunk);
  return text;
}
