/** Real sockets: what a connection may do, and what becomes of those who wait at it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/env.ts';
import type { ServerAccess } from './server-access.ts';
import type { TransportRequest } from './transport.ts';
import { createNodeTransport, type NodeTransport, type NodeTransportLimits } from './transport-node.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

async function serve(
  answer: Answer,
): Promise<{ readonly url: string; readonly server: Server; connections: number }> {
  const server = createServer(answer);
  const state = { url: '', server, connections: 0 };
  server.on('connection', () => {
    state.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

function connect(access: ServerAccess, limits: Partial<NodeTransportLimits> = {}): NodeTransport {
  const transport = createNodeTransport({ access, clock: systemClock, limits });
  cleanups.push(() => transport.close());
  return transport;
}

const GET: TransportRequest = {
  method: 'GET',
  path: '/api/v1/nodes',
  query: 'a=1',
  headers: { accept: 'x' },
};

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const echo: Answer = (incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const { method, url, headers } = incoming;
    outgoing.setHeader('warning', ['299 - "a"', '299 - "b"']);
    outgoing.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
};

describe('a request over a socket', () => {
  it('arrives unchanged, below the base path of the server', async () => {
    const { url } = await serve(echo);
    const transport = connect({ url: `${url}/k8s/clusters/c-1/` });
    const body = new TextEncoder().encode('{"ü":1}');
    const request = {
      ...GET,
      method: 'DELETE',
      body,
      headers: { 'content-type': 'application/json' },
    } as const;
    const response = await transport.send(request);
    expect([response.status, response.headers.warning]).toEqual([200, '299 - "a", 299 - "b"']);
    expect(JSON.parse(await textOf(response.body))).toMatchObject({
      ...{ method: 'DELETE', url: '/k8s/clusters/c-1/api/v1/nodes?a=1', body: '{"ü":1}' },
      headers: { 'content-type': 'application/json', 'content-length': '8' },
    });
  });

  it('sends the current token', async () => {
    const { url } = await serve(echo);
    const tokens = ['first', 'second', undefined];
    const transport = connect({ url, token: () => Promise.resolve(tokens.shift()) });
    const seen: unknown[] = [];
    for (let count = 0; count < 3; count++) {
      const answer = JSON.parse(await textOf((await transport.send(GET)).body)) as { headers: object };
      seen.push('authorization' in answer.headers ? answer.headers.authorization : 'none');
    }
    expect(seen).toEqual(['Bearer first', 'Bearer second', 'none']);
  });

  it('is not sent if its token cannot be read', async () => {
    let asked = 0;
    const { url } = await serve((_, outgoing) => {
      asked += 1;
      outgoing.end();
    });
    const transport = connect({ url, token: () => Promise.reject(new Error('ENOENT')) });
    await expect(transport.send(GET)).rejects.toMatchObject({ kind: 'transient', reason: 'Unreachable' });
    expect(asked).toBe(0);
  });

  it('reuses the connection, also after an error response and after an unread response', async () => {
    const state = await serve((incoming, outgoing) => {
      if (incoming.url?.endsWith('refused')) outgoing.statusCode = 404;
      outgoing.end('x'.repeat(100));
    });
    const transport = connect({ url: state.url });
    for (let count = 0; count < 5; count++) {
      const ended = new AbortController();
      const query = count % 2 === 0 ? 'refused' : '';
      const { body } = await transport.send({ ...GET, query, signal: ended.signal });
      await textOf(body);
      ended.abort();
    }
    expect(state.connections).toBe(1);
  });

  it('gets its own connection while others are in use', async () => {
    const state = await serve((incoming, outgoing) => {
      outgoing.flushHeaders();
      if (!incoming.url?.endsWith('watch')) outgoing.end('done');
    });
    const transport = connect({ url: state.url });
    const ended = new AbortController();
    for (let count = 0; count < 3; count++)
      await transport.send({ ...GET, query: 'watch', signal: ended.signal });
    expect(await textOf((await transport.send(GET)).body)).toBe('done');
    expect(state.connections).toBe(4);
    ended.abort();
  });
});

describe('a connection that fails', () => {
  it('before anything was sent is a transient failure', async () => {
    const { url, server } = await serve(echo);
    server.close();
    const failure = connect({ url }).send(GET);
    await expect(failure).rejects.toMatchObject({ kind: 'transient', reason: 'Unreachable' });
    await expect(failure).rejects.toThrow(/^GET \/api\/v1\/nodes: connect ECONNREFUSED/);
  });

  it('on certificate verification is reported as such', async () => {
    const { url } = await serve(echo);
    const failure = connect({ url: url.replace('http:', 'https:') }).send(GET);
    await expect(failure).rejects.toMatchObject({ kind: 'transient', reason: 'Unreachable' });
  });

  it('in the middle of a response throws where the response is read', async () => {
    const { url } = await serve((_, outgoing) => {
      outgoing.write('{"type":');
      setTimeout(() => outgoing.destroy(), 20);
    });
    const { body } = await connect({ url }).send(GET);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of body) seen.push(Buffer.from(chunk).toString());
    })();
    await expect(reading).rejects.toMatchObject({ kind: 'transient', reason: 'Unreachable' });
    expect(seen).toEqual(['{"type":']);
  });

  it('while it was idle is replaced for reads, and reported for writes', async () => {
    let isFirst = true;
    const sockets = new Set<Socket>();
    const { url } = await serve((incoming, outgoing) => {
      sockets.add(incoming.socket);
      // The second request on a connection meets one that is being closed.
      if (isFirst) outgoing.end('first');
      else if (sockets.size === 1) incoming.socket.destroy();
      else outgoing.end('again');
      isFirst = false;
    });
    const transport = connect({ url });
    await textOf((await transport.send(GET)).body);
    expect(await textOf((await transport.send(GET)).body)).toBe('again');
    sockets.clear();
    isFirst = true;
    const other = connect({ url });
    await textOf((await other.send(GET)).body);
    const write = other.send({ ...GET, method: 'POST', body: new Uint8Array(1) });
    await expect(write).rejects.toMatchObject({ kind: 'transient', reason: 'Unreachable' });
  });
});

describe('a server that is silent', () => {
  it('exceeds the connect timeout', async () => {
    // It accepts connections and never starts TLS.
    const silent = createSocketServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => silent.close());
    const sockets = new Set<Socket>();
    silent.on('connection', (socket) => sockets.add(socket));
    cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
    });
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const failure = connect({ url }, { connectMs: 50 }).send(GET);
    await expect(failure).rejects.toThrow('GET /api/v1/nodes: no connection within 0.05 s');
  });

  it('exceeds the response timeout', async () => {
    const { url } = await serve(() => undefined);
    const failure = connect({ url }, { responseMs: 50 }).send(GET);
    await expect(failure).rejects.toThrow('GET /api/v1/nodes: no answer within 0.05 s');
  });

  it('may pause in the middle of a response', async () => {
    const { url } = await serve((_, outgoing) => {
      outgoing.write('a');
      setTimeout(() => outgoing.end('b'), 200);
    });
    const { body } = await connect({ url }, { responseMs: 50, connectMs: 50, idleMs: 50 }).send(GET);
    expect(await textOf(body)).toBe('ab');
  });

  it('is disconnected at once when the request is cancelled', async () => {
    const { url } = await serve((incoming, outgoing) => {
      if (incoming.url?.endsWith('watch')) outgoing.write('begun');
    });
    const transport = connect({ url });
    const ended = new AbortController();
    const waiting = transport.send({ ...GET, signal: ended.signal });
    const { body } = await transport.send({ ...GET, query: 'watch', signal: ended.signal });
    const reading = textOf(body);
    setTimeout(() => ended.abort(), 20);
    await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(reading).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(transport.send({ ...GET, signal: ended.signal })).rejects.toMatchObject({
      kind: 'cancelled',
    });
  });

  it('is disconnected when the reader stops', async () => {
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { url } = await serve((_, outgoing) => {
      outgoing.on('close', closed);
      outgoing.write('piece');
    });
    const { body } = await connect({ url }).send(GET);
    for await (const _ of body) break;
    await isClosed;
  });

  it('is disconnected after the idle timeout', async () => {
    const state = await serve((_, outgoing) => outgoing.end());
    const transport = connect({ url: state.url }, { idleMs: 30 });
    await textOf((await transport.send(GET)).body);
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
    const open = await new Promise<number>((resolve) =>
      state.server.getConnections((_, count) => resolve(count)),
    );
    expect(open).toBe(0);
  });
});

describe('a token in a file', () => {
  it('is read for each request, and the last one is used while the file is missing', async () => {
    const { tokenFrom } = await import('./server-access.ts');
    const { readFile } = await import('node:fs/promises');
    const folder = await mkdtemp(join(tmpdir(), 'millwright-token-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'token');
    const token = tokenFrom(() => readFile(path, 'utf8'));
    await expect(token()).rejects.toThrow('ENOENT');
    await writeFile(path, 'first\n');
    expect(await token()).toBe('first');
    await writeFile(path, 'second\n');
    expect(await token()).toBe('second');
    await rm(path);
    expect(await token()).toBe('second');
  });
});
