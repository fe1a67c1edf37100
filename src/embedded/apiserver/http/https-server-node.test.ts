import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type Clock, type Log, silentLog, systemClock } from '../../../base/env.ts';
import type { PemPair } from '../../../certificates/index.ts';
import { createAuthority, issueClientCertificate, issueServerCertificate } from '../pki/certificates-node.ts';
import { type Body, MAX_BODY_BYTES, type Request, type Response } from './http.ts';
import type { HttpLimits } from './http-limits.ts';
import { type HttpsServer, reservePort, startHttpsServer } from './https-server-node.ts';

const clock = systemClock;
const authority = createAuthority(clock);
const certificate = issueServerCertificate(authority, { clock });
const admin = issueClientCertificate(authority, { clock, name: 'admin', groups: ['a', 'system:masters'] });

const utf8 = (text: string) => new TextEncoder().encode(text);
const answer = (body: Body, headers: Response['headers'] = [], status = 200): Response => ({
  status,
  headers,
  body,
});

type Handler = (request: Request) => Promise<Response>;
type Given = { readonly limits?: Partial<HttpLimits>; readonly clock?: Clock };

let servers: HttpsServer[] = [];
let agents: Agent[] = [];
let logged: string[] = [];
const log: Log = { ...silentLog, error: (message, fields) => logged.push(`${message} ${fields?.error}`) };
afterEach(async () => {
  for (const agent of agents) agent.destroy();
  await Promise.all(servers.map((server) => server.stop()));
  [servers, agents, logged] = [[], [], []];
});

async function start(handle: Handler, given: Given = {}): Promise<number> {
  const { limits = {}, clock = systemClock } = given;
  const env = { clock, log };
  const common = { handle, env, certificate, authorityPem: authority.certPem, port: 0 };
  const server = await startHttpsServer({ ...common, limits: { graceMs: 300, ...limits } });
  servers.push(server);
  return server.port;
}

type Ask = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
  readonly agent?: Agent;
};
type Answer = { readonly response: IncomingMessage; readonly body: Buffer };

function agentFor(client?: PemPair, options: object = {}): Agent {
  const proof = client === undefined ? {} : { cert: client.certPem, key: client.keyPem };
  const agent = new Agent({ ca: authority.certPem, keepAlive: true, ...proof, ...options });
  agents.push(agent);
  return agent;
}

async function open(
  port: number,
  { agent = agentFor(), body, ...asked }: Ask = {},
): Promise<IncomingMessage> {
  const options: RequestOptions = { host: '127.0.0.1', port, agent, ...asked };
  const request = httpsRequest(options);
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function ask(port: number, asked: Ask = {}): Promise<Answer> {
  const response = await open(port, asked);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { response, body: Buffer.concat(chunks) };
}

/** Sends raw text over TLS, and returns all that is received until the peer closes. */
async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ca: authority.certPem });
  socket.on('error', () => undefined);
  socket.write(text);
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk.toString();
  });
  await once(socket, 'close');
  return heard;
}

const fine: Handler = async () => answer(utf8('fine'));
const until = async (isTrue: () => boolean) => {
  const end = performance.now() + 10_000;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error('it never became true');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

describe('an HTTPS server with a failing handler', () => {
  it('answers 500, logs the error and keeps the connection', async () => {
    const port = await start(async ({ path }) => {
      if (path === '/bad') throw new Error('out of paper');
      return answer(utf8('fine'));
    });
    const agent = agentFor();
    const { response, body } = await ask(port, { path: '/bad?x=1', agent });
    expect(response.statusCode).toBe(500);
    expect(JSON.parse(body.toString())).toMatchObject({ kind: 'Status', reason: 'InternalError', code: 500 });
    expect(body.toString()).not.toContain('paper');
    expect(logged).toEqual([expect.stringContaining('out of paper')]);
    expect((await ask(port, { agent })).body.toString()).toBe('fine');
  });

  it.each<[string, Response]>([
    ['a status that is none', answer(utf8('x'), [], 99)],
    ['a header that is none', answer(utf8('x'), [['bad name', 'x']])],
  ])('closes the connection of a handler with %s and serves others', async (_, response) => {
    const port = await start(async ({ path }) => (path === '/bad' ? response : answer(utf8('fine'))));
    await expect(ask(port, { path: '/bad' })).rejects.toThrow('socket hang up');
    expect((await ask(port)).body.toString()).toBe('fine');
    expect(logged).toHaveLength(1);
  });

  it('aborts a stream whose producer fails, so that it does not look complete', async () => {
    const port = await start(async () =>
      answer(
        (async function* () {
          yield utf8('one\n');
          throw new Error('out of ink');
        })(),
      ),
    );
    await expect(ask(port)).rejects.toThrow('aborted');
    expect(logged).toEqual([expect.stringContaining('out of ink')]);
  });
});

describe('an HTTPS server that reads a body', () => {
  const echoLength: Handler = async ({ body }) => answer(utf8(String(body.length)));
  const refused = `${JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Request entity too large: limit is 3145728',
    reason: 'RequestEntityTooLarge',
    code: 413,
  })}\n`;

  it.each<[string, OutgoingHttpHeaders]>([
    ['with a Content-Length', { 'content-length': MAX_BODY_BYTES + 1 }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('answers 413 to an oversized body: %s', async (_, headers) => {
    const port = await start(echoLength);
    const agent = agentFor();
    const body = new Uint8Array(MAX_BODY_BYTES + 1);
    const { response, body: heard } = await ask(port, { method: 'POST', body, headers, agent });
    expect(response.statusCode).toBe(413);
    expect(heard.toString()).toBe(refused);
    // Its end was read, so the connection can be used again.
    expect(response.headers.connection).toBe('keep-alive');
    expect((await ask(port, { method: 'POST', body: 'abc', agent })).body.toString()).toBe('3');
  });

  it('rejects a huge body before it is read', async () => {
    const port = await start(echoLength);
    const text = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\nabc';
    expect(await sendRaw(port, text)).toMatch(
      /^HTTP\/1\.1 413 [\s\S]*connection: close\r\n[\s\S]*limit is 3145728/i,
    );
  });

  it('does not send 100 Continue for an oversized body', async () => {
    const port = await start(echoLength);
    const head = `Host: x\r\nExpect: 100-continue\r\nContent-Length: ${MAX_BODY_BYTES + 1}`;
    expect(await sendRaw(port, `POST / HTTP/1.1\r\n${head}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('sends 100 Continue', async () => {
    const port = await start(echoLength);
    const head = 'Host: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close';
    const heard = await sendRaw(port, `POST / HTTP/1.1\r\n${head}\r\n\r\nabc`);
    expect(heard).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [\s\S]*\r\n3$/);
  });

  it('reads a body of the maximum size', async () => {
    const port = await start(echoLength);
    const { body } = await ask(port, { method: 'PUT', body: new Uint8Array(MAX_BODY_BYTES) });
    expect(body.toString()).toBe(String(MAX_BODY_BYTES));
  });
});

describe('an HTTPS server with a misbehaving client', () => {
  it.each<[string, string, RegExp]>([
    [
      'does not speak HTTP',
      'GARBAGE\r\n\r\n',
      /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\n400 Bad Request$/,
    ],
    ['sends a broken header', 'GET / HTTP/1.1\r\nbad header\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'names no host',
      'GET / HTTP/1.1\r\n\r\n',
      /^HTTP\/1\.1 400 Bad Request: missing required Host header\r\n[\s\S]*\r\n\r\n400 Bad Request: missing required Host header$/,
    ],
    ['names two hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 400 Bad Request\r\n/],
    [
      'names two hosts and expects 100-continue',
      'POST / HTTP/1.1\r\nHost: x\r\nhost: y\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n',
      /^HTTP\/1\.1 400 Bad Request\r\n/,
    ],
    [
      'names an invalid host',
      'GET / HTTP/1.1\r\nHost: a b\r\n\r\n',
      /^HTTP\/1\.1 400 Bad Request: malformed Host header\r\n/,
    ],
    [
      'uses another version of HTTP',
      'GET / HTTP/2.0\r\nHost: x\r\n\r\n',
      /^HTTP\/1\.1 505 HTTP Version Not Supported/,
    ],
    ['has an unknown expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n', /^HTTP\/1\.1 417 /],
    ['uses an invalid method', 'F(O / HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'sends too large headers',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(1024 * 1024 + 1000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 Request Header Fields Too Large/,
    ],
    ['sends both a length and chunks', smuggled(), /^HTTP\/1\.1 400 /],
  ])('answers a client that %s and disconnects it', async (_, text, expected) => {
    const port = await start(fine);
    expect(await sendRaw(port, text)).toMatch(expected);
    expect((await ask(port)).body.toString()).toBe('fine');
  });

  it.each([
    'FOO /api HTTP/1.1\r\nHost: x\r\n\r\n',
    'foo /api HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc',
    'GETX /api HTTP/1.1\r\nHost: x\r\n\r\n',
    'PROPFINDER /api HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  ])('answers an unknown method with a Status: %j', async (text) => {
    const heard = await sendRaw(await start(fine), text);
    const [head = '', body = ''] = heard.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n[\s\S]*Content-Type: application\/json/);
    expect(head).toContain(`Content-Length: ${body.length}`);
    expect(JSON.parse(body)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server does not allow this method on the requested resource',
      reason: 'MethodNotAllowed',
      details: {},
      code: 405,
    });
  });

  it('rejects garbage after the responses to earlier requests', async () => {
    const port = await start(async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return answer(utf8('fine'));
    });
    const heard = await sendRaw(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n\r\n');
    expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*fineHTTP\/1\.1 400 Bad Request: missing/);
  });

  it('accepts HTTP/1.0 without a Host header and an empty Host header', async () => {
    const port = await start(fine);
    expect(await sendRaw(port, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/ 200 OK\r\n/);
    expect(await sendRaw(port, 'GET / HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n')).toMatch(
      / 200 OK\r\n/,
    );
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT'])('answers plain HTTP: %s', async (method) => {
    const port = await start(fine);
    const wire = connectPlain(port, '127.0.0.1');
    wire.write(`${method} / HTTP/1.1\r\nHost: x\r\n\r\n`);
    let heard = '';
    for await (const chunk of wire) heard += String(chunk);
    expect(heard).toBe('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
  });

  it('disconnects a slow client at each step of a request', async () => {
    const port = await start(fine, { limits: { handshakeMs: 200, headersMs: 200, requestMs: 400 } });
    const silent = connectPlain(port, '127.0.0.1').resume();
    const [closed, headers, body] = await Promise.all([
      once(
        silent.on('error', () => undefined),
        'close',
      ).then(() => 'closed'),
      sendRaw(port, 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '),
      sendRaw(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc'),
    ]);
    expect(closed).toBe('closed');
    expect(headers).toMatch(/^HTTP\/1\.1 408 /);
    expect(body).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('survives plain HTTP and aborted connections', async () => {
    const port = await start(async ({ path }) => {
      if (path === '/slow') await new Promise((resolve) => setTimeout(resolve, 30));
      return answer(path === '/watch' ? ticks() : new Uint8Array(10_000_000));
    });
    const plain = httpRequest({ host: '127.0.0.1', port, path: '/' });
    plain.end();
    const [response] = (await once(plain, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(400);
    response.resume();
    for (const text of [
      '',
      'GET / HT',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc',
      'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET /watch HTTP/1.1\r\nHost: x\r\n\r\n',
    ]) {
      for (const waitMs of [0, 10, 50]) {
        const wire = connectPlain(port, '127.0.0.1');
        const socket = connect({ socket: wire, ca: authority.certPem });
        for (const one of [wire, socket]) one.on('error', () => undefined);
        await once(socket, 'secureConnect');
        socket.write(text);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        wire.resetAndDestroy();
      }
    }
    expect((await ask(port)).body.length).toBe(10_000_000);
    expect(logged).toEqual([]);
  });

  it.each(['a stream', 'a large answer'])('disconnects a client that does not read %s', async (what) => {
    let isAborted = false;
    let isReleased = false;
    const endless = (async function* () {
      try {
        for (;;) yield new Uint8Array(100_000);
      } finally {
        isReleased = true;
      }
    })();
    const port = await start(
      async ({ signal }) => {
        signal?.addEventListener('abort', () => {
          isAborted = true;
        });
        return answer(what === 'a stream' ? endless : new Uint8Array(100_000_000));
      },
      { limits: { stalledMs: 200 } },
    );
    const socket = connect({ host: '127.0.0.1', port, ca: authority.certPem });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => isAborted);
    if (what === 'a stream') await until(() => isReleased);
    socket.destroy();
  });
});

function smuggled(): string {
  const head = 'Host: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked';
  return `POST / HTTP/1.1\r\n${head}\r\n\r\n0\r\n\r\nGET /`;
}

async function* ticks(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield utf8('tick\n');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('an HTTPS server with client certificates', () => {
  const whoIs: Handler = async ({ certificateUser, hasBadCertificate }) =>
    answer(utf8(JSON.stringify({ user: certificateUser, hasBadCertificate })));
  const who = async (port: number, agent: Agent) =>
    JSON.parse((await ask(port, { agent })).body.toString()) as unknown;
  const other = createAuthority(clock);
  const past: Clock = { ...clock, now: () => clock.now() - 400 * 24 * 60 * 60 * 1000 };
  const masters = { name: 'admin', groups: ['system:masters'] };

  it.each<[string, PemPair, object?]>([
    ['of another authority', issueClientCertificate(other, { clock, ...masters })],
    ['of none', createAuthority(clock)],
    ['of a server', certificate],
    ['that has ended', issueClientCertificate(authority, { clock: past, ...masters })],
  ])('treats %s as invalid, not as missing', async (_, pair) => {
    expect(await who(await start(whoIs), agentFor(pair))).toEqual({ hasBadCertificate: true });
  });

  it('rejects a certificate that expires during the connection', async () => {
    let offsetMs = 0;
    const moving: Clock = { ...clock, now: () => clock.now() + offsetMs };
    const port = await start(whoIs, { clock: moving });
    const agent = agentFor(admin);
    expect(await who(port, agent)).toMatchObject({ user: { name: 'admin' } });
    offsetMs = 366 * 24 * 60 * 60 * 1000;
    expect(await who(port, agent)).toEqual({ hasBadCertificate: true });
  });

  it('accepts clients without a certificate', async () => {
    expect(await who(await start(whoIs), agentFor())).toEqual({});
  });

  it('ignores a certificate without a common name', async () => {
    const nameless = issueClientCertificate(authority, { clock, name: '', groups: ['system:masters'] });
    expect(await who(await start(whoIs), agentFor(nameless))).toEqual({});
  });

  it('passes user, groups and fingerprint of a certificate', async () => {
    const digest = /^X509SHA256=[0-9a-f]{64}$/;
    expect(await who(await start(whoIs), agentFor(admin))).toEqual({
      user: {
        name: 'admin',
        groups: ['a', 'system:masters'],
        extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(digest)] },
      },
    });
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'identifies the client in a resumed session of %s as in the first',
    async (version) => {
      const port = await start(whoIs);
      for (const client of [admin, undefined]) {
        const options = { host: '127.0.0.1', port, ca: authority.certPem, maxVersion: version };
        const proof = client === undefined ? {} : { cert: client.certPem, key: client.keyPem };
        const first = connect({ ...options, ...proof });
        const session = new Promise<Buffer>((resolve) => first.once('session', resolve));
        const heard = await exchange(first);
        const again = connect({ ...options, session: await session });
        again.once('secureConnect', () => expect(again.isSessionReused()).toBe(true));
        expect(await exchange(again)).toBe(heard);
        expect(heard).toContain(client === undefined ? '{}' : '"name":"admin"');
      }
    },
  );

  async function exchange(socket: TLSSocket): Promise<string> {
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString();
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    return heard.slice(heard.indexOf('\r\n\r\n') + 4);
  }
});

describe('an HTTPS server that gets a request', () => {
  it('passes a plain object to the handler', async () => {
    let seen: Request | undefined;
    const port = await start(async (request) => {
      seen = request;
      return answer(utf8('fine'));
    });
    const headers = { 'X-Two': ['a', 'b'], 'Impersonate-User': Buffer.from('größe').toString('latin1') };
    await ask(port, { method: 'PATCH', path: '/a%20b/c?d=%2F&e?f', headers, body: utf8('text') });
    expect(seen).toMatchObject({ method: 'PATCH', path: '/a%20b/c', query: 'd=%2F&e?f' });
    expect(seen?.headers).toMatchObject({ 'x-two': 'a, b', 'impersonate-user': 'größe' });
    expect(new TextDecoder().decode(seen?.body)).toBe('text');
    expect(seen?.signal?.aborted).toBe(false);
  });

  it.each([
    ['https://elsewhere:1/api?x=1', '/api', 'x=1'],
    ['https://elsewhere', '/', ''],
    ['//api', '//api', ''],
  ])('parses %s to the path %s', async (target, path, query) => {
    const port = await start(async (request) => answer(utf8(`${request.path} ${request.query}`)));
    const heard = await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(heard.split('\r\n').at(-1)).toBe(`${path} ${query}`);
  });

  it('aborts the request when its client disconnects', async () => {
    let signal: AbortSignal | undefined;
    const port = await start(async (request) => {
      signal = request.signal;
      await new Promise((resolve) => request.signal?.addEventListener('abort', resolve));
      return answer(utf8('unread'));
    });
    const request = httpsRequest({ host: '127.0.0.1', port, agent: agentFor() });
    request.on('error', () => undefined);
    request.end();
    await until(() => signal !== undefined);
    request.destroy();
    await until(() => signal?.aborted === true);
    expect(logged).toEqual([]);
  });
});

describe('an HTTPS server that sends a response', () => {
  it('sends repeated and non-ASCII headers', async () => {
    const port = await start(async () =>
      answer(utf8('{}'), [
        ['content-type', 'application/json'],
        ['content-length', '999'],
        ['warning', '299 - "größe"'],
        ['warning', '299 - "two\r\nlines"'],
      ]),
    );
    const { response, body } = await ask(port);
    const warnings = response.headersDistinct.warning?.map((text) => Buffer.from(text, 'latin1').toString());
    expect(warnings).toEqual(['299 - "größe"', '299 - "two  lines"']);
    expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '2' });
    expect(body.toString()).toBe('{}');
  });

  it('sends no body for HEAD and no length for 204', async () => {
    const port = await start(async ({ path }) =>
      path === '/none' ? answer(new Uint8Array(), [], 204) : answer(utf8('fine')),
    );
    const head = await ask(port, { method: 'HEAD' });
    expect(head.response.headers['content-length']).toBe('4');
    expect(head.body.length).toBe(0);
    const none = await ask(port, { path: '/none' });
    expect(none.response.statusCode).toBe(204);
    expect(none.response.headers).not.toHaveProperty('content-length');
    expect(none.response.headers).not.toHaveProperty('transfer-encoding');
  });

  it.each<[string, number, string | undefined, Response['headers'], boolean]>([
    ['a large one with gzip', 200_000, 'gzip', [], true],
    ['a large one with several encodings', 200_000, 'deflate, gzip', [], true],
    ['a large one without Accept-Encoding', 200_000, undefined, [], false],
    ['a large one with a quality below 1', 200_000, 'gzip;q=0.5', [], false],
    ['a large one with an etag', 200_000, 'gzip', [['ETag', '"x"']], false],
    ['a small one', 128 * 1024, 'gzip', [], false],
  ])('compresses the response if it is worthwhile: %s', async (_, size, accept, headers, isCompressed) => {
    const content = Buffer.from('abcdefgh'.repeat(size / 8));
    const port = await start(async () => answer(content, headers));
    const { response, body } = await ask(port, { headers: accept ? { 'accept-encoding': accept } : {} });
    expect(response.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
    expect(response.headers.vary).toBe(isCompressed ? 'Accept-Encoding' : undefined);
    expect((isCompressed ? gunzipSync(body) : body).equals(content)).toBe(true);
    expect(response.headers['content-length']).toBe(String(body.length));
  });

  it('sends a large response completely', async () => {
    const content = Buffer.alloc(20_000_001, 'xyz');
    const port = await start(async () => answer(content));
    expect((await ask(port)).body.equals(content)).toBe(true);
  });

  it('keeps the connection open for the next request', async () => {
    const ports = new Set<number | undefined>();
    const port = await start(fine);
    const agent = agentFor();
    for (let turn = 0; turn < 3; turn++) {
      const response = await open(port, { agent });
      ports.add(response.socket.localPort);
      response.resume();
      await once(response, 'end');
    }
    expect(ports.size).toBe(1);
  });
});

describe('an HTTPS server that streams a response', () => {
  it('sends headers before the first chunk and each chunk at once', async () => {
    let push: (text: string) => void = () => undefined;
    const body = (async function* () {
      for (;;) {
        const text = await new Promise<string>((resolve) => {
          push = resolve;
        });
        if (text === '') return;
        yield utf8(text);
      }
    })();
    const port = await start(async () => answer(body, [['content-type', 'application/json']]));
    const response = await open(port);
    expect(response.headers['transfer-encoding']).toBe('chunked');
    for (const text of ['one\n', 'two\n']) {
      push(text);
      const [chunk] = (await once(response, 'data')) as [Buffer];
      expect(chunk.toString()).toBe(text);
    }
    push('');
    await once(response, 'end');
    expect(response.complete).toBe(true);
  });

  it('applies backpressure to the producer', async () => {
    let given = 0;
    const total = 400;
    const chunk = new Uint8Array(100_000);
    const body = (async function* () {
      for (; given < total; given++) yield chunk;
    })();
    const port = await start(async () => answer(body));
    const response = await open(port);
    // Without a reader only the socket buffers fill.
    await until(() => given > 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(given).toBeLessThan(total);
    let size = 0;
    for await (const chunk of response) size += (chunk as Buffer).length;
    expect(size).toBe(total * chunk.length);
  });

  it('closes the producer when the client disconnects', async () => {
    let isReleased = false;
    let signal: AbortSignal | undefined;
    const port = await start(async (request) => {
      signal = request.signal;
      const body = (async function* () {
        try {
          yield utf8('one\n');
          await new Promise((resolve) => request.signal?.addEventListener('abort', resolve));
        } finally {
          isReleased = true;
        }
      })();
      return answer(body);
    });
    const response = await open(port);
    await once(response, 'data');
    expect(signal?.aborted).toBe(false);
    response.destroy();
    await until(() => isReleased);
    expect(signal?.aborted).toBe(true);
  });
});

describe('an HTTPS server that stops', () => {
  const stopLast = () => servers.at(-1)?.stop();

  it('rejects connections, ends watches cleanly and lets requests finish', async () => {
    let finish: (() => void) | undefined;
    const port = await start(
      async ({ path }) => {
        if (path === '/watch') return answer(ticks());
        if (path === '/slow') await new Promise<void>((resolve) => (finish = resolve));
        return answer(utf8('done'));
      },
      { limits: { graceMs: 60_000 } },
    );
    const agent = agentFor();
    await ask(port, { agent });
    const watch = await open(port, { path: '/watch' });
    watch.resume();
    const slow = ask(port, { path: '/slow' });
    await once(watch, 'data');
    await until(() => finish !== undefined);
    const begin = performance.now();
    const stopped = stopLast();
    await once(watch, 'end');
    expect(watch.complete, 'a watch is not cut off').toBe(true);
    await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
    finish?.();
    const { response, body } = await slow;
    expect(body.toString()).toBe('done');
    expect(response.headers.connection).toBe('close');
    await stopped;
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(logged).toEqual([]);
  });

  it('limits the wait for unfinished requests', async () => {
    const port = await start(() => new Promise(() => undefined));
    const silent = connectPlain(port, '127.0.0.1');
    await once(silent, 'connect');
    const hanging = ask(port);
    hanging.catch(() => undefined);
    const socket = connect({ host: '127.0.0.1', port, ca: authority.certPem });
    await once(
      socket.on('error', () => undefined),
      'secureConnect',
    );
    await Promise.all([stopLast(), stopLast()]);
    await expect(hanging).rejects.toThrow();
    silent.destroy();
    socket.destroy();
  });
});

describe('reservePort', () => {
  const options = {
    handle: fine,
    env: { clock, log: silentLog },
    certificate,
    authorityPem: authority.certPem,
  };

  it('reports a port in use', async () => {
    const port = await start(fine);
    await expect(startHttpsServer({ ...options, port })).rejects.toMatchObject({
      kind: 'stalled',
      reason: 'PortTaken',
      message: `port ${port} is taken`,
    });
  });

  it('reports an address that is not available', async () => {
    await expect(reservePort({ host: '192.0.2.1', port: 0 })).rejects.toMatchObject({
      kind: 'stalled',
      reason: 'PortUnusable',
      message: 'port 0 of 192.0.2.1 cannot be opened: the address is not available on this machine',
    });
  });

  it('reserves a port until it is released or the server stops', async () => {
    const held = await reservePort({ port: 0 });
    await expect(reservePort({ port: held.port })).rejects.toMatchObject({ reason: 'PortTaken' });
    const early = connectPlain(held.port, '127.0.0.1').on('error', () => undefined);
    await once(early.resume(), 'close');
    const server = await startHttpsServer({ ...options, port: held });
    expect(server.port).toBe(held.port);
    expect((await ask(held.port)).body.toString()).toBe('fine');
    await server.stop();
    const again = await reservePort({ port: held.port });
    await again.release();
    await (await reservePort({ port: held.port })).release();
  });
});
