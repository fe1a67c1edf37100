/**
 * Misbehaving clients: garbage, partial, pipelined, aborted, endless or unread requests. The server responds or
 * disconnects in time, and serves others.
 */
import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import type { TLSSocket } from 'node:tls';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FuzzWorld, heapBytes, runs, startFuzzWorld, TENANT, TIMEOUT_MS } from './fuzz-server.ts';
import { tokenOf } from './socket-server.ts';

/** Short, so that a test can wait for all of them. */
const LIMITS = {
  handshakeMs: 2_000,
  headersMs: 1_000,
  requestMs: 2_000,
  idleMs: 500,
  stalledMs: 2_000,
  graceMs: 300,
};
/** By then every idle connection has been answered or closed. */
const CLOSED_MS = 20_000;

let world: FuzzWorld;
beforeAll(async () => {
  world = await startFuzzWorld({ limits: LIMITS });
});
afterEach(async () => {
  await world.expectWell();
  await expectIdle();
});
afterAll(async () => {
  await world.stop();
});

/** All that comes back until the other side closes; throws where it never does. */
async function heardUntilClosed(wire: TLSSocket): Promise<string> {
  const chunks: Buffer[] = [];
  wire.on('data', (chunk) => chunks.push(chunk));
  const timer = setTimeout(() => wire.destroy(new Error('never closed')), CLOSED_MS);
  let error: unknown;
  wire.once('error', (reason) => {
    error = reason;
  });
  if (!wire.closed) await once(wire, 'close').catch(() => undefined);
  clearTimeout(timer);
  if (error instanceof Error && error.message === 'never closed') throw error;
  return Buffer.concat(chunks).toString('latin1');
}

const AUTH = `Authorization: Bearer ${tokenOf(TENANT)}\r\n`;
const COLLECTION = '/api/v1/namespaces/play/configmaps';
const json = (name: string) => JSON.stringify({ metadata: { name }, data: { a: 'b' } });
let made = 0;
const post = () => {
  const body = json(`wire-${made++}`);
  return `POST ${COLLECTION} HTTP/1.1\r\nHost: x\r\n${AUTH}Content-Length: ${body.length}\r\n\r\n${body}`;
};
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${AUTH}\r\n`;
const request = fc.constantFrom(
  get(`${COLLECTION}/seen`),
  get('/readyz'),
  get('/api/v1/namespaces/vault/secrets/hidden'),
  get(`${COLLECTION}?watch=1&timeoutSeconds=1`),
  `DELETE ${COLLECTION}/nothing HTTP/1.1\r\nHost: x\r\n${AUTH}\r\n`,
  `POST ${COLLECTION} HTTP/1.1\r\nHost: x\r\n${AUTH}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  `POST ${COLLECTION} HTTP/1.1\r\nHost: x\r\n${AUTH}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `POST ${COLLECTION} HTTP/1.1\r\nHost: x\r\n${AUTH}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
  `POST ${COLLECTION} HTTP/1.1\r\nHost: x\r\n${AUTH}Content-Length: 99999999999\r\n\r\n{`,
  `POST ${COLLECTION} HTTP/1.1\r\nHost: x\r\n${AUTH}Content-Length: -1\r\n\r\n{`,
  `POST ${COLLECTION} HTTP/1.1\r\nHost: x\r\n${AUTH}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  `PATCH ${COLLECTION}/seen HTTP/1.1\r\nHost: x\r\n${AUTH}Content-Type: application/merge-patch+json\r\nContent-Length: 2\r\n\r\n{}`,
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.0\r\n\r\n',
  'GET / HTTP/2.0\r\nHost: x\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
  `GET ${COLLECTION} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${AUTH}\r\n`,
  `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: x\r\n${'X-A: b\r\n'.repeat(3_000)}\r\n`,
  'NOPE / HTTP/1.1\r\nHost: x\r\n\r\n',
  '\r\n\r\n\r\n',
  '\u0016\u0003\u0001',
);

/** Every answer on the wire is one of HTTP, and none holds what it should not. */
function expectAnswers(heard: string): void {
  expect(world.mistakes.splice(0), heard.slice(0, 500)).toEqual([]);
  expect(heard).not.toContain('the-hidden-value');
  expect(heard).not.toContain(btoa('the-hidden-value-of-the-vault').slice(4, -4));
  expect(heard).not.toMatch(/ 500 |\n\s+at .+:\d+:\d+|bug:/);
  if (heard !== '') expect(heard).toMatch(/^HTTP\/1\.[01] \d{3} /);
}

/** Nothing is under way but the question itself. */
async function expectIdle(): Promise<void> {
  const figures = async () => (await world.ask('GET', '/metrics')).text.match(/^millwright_[swa-z_]+ \d+$/gm);
  const idle = ['millwright_seats_taken 1', 'millwright_waiting_requests 0', 'millwright_streams 0'];
  await expect.poll(figures, { timeout: 10_000 }).toEqual(expect.arrayContaining(idle));
}

describe('a connection', () => {
  it('with any bytes is answered or closed', { timeout: TIMEOUT_MS }, async () => {
    const bytes = fc
      .tuple(
        fc.array(fc.oneof(request, fc.string({ unit: 'binary', maxLength: 40 })), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
        fc.oneof(fc.constant(undefined), fc.nat(2_000)),
        fc.boolean(),
      )
      .map(([parts, changes, end, isHalfOpen]) => {
        const whole = Buffer.from(parts.join(''), 'latin1');
        for (const [at, value] of changes) whole[at % whole.length] = value;
        return { sent: whole.subarray(0, end), isHalfOpen };
      });
    // Many at a time: each takes as long as the server waits for more.
    const property = fc.asyncProperty(fc.array(bytes, { minLength: 25, maxLength: 25 }), async (many) => {
      const heard = await Promise.all(
        many.map(async ({ sent, isHalfOpen }) => {
          const wire = await world.connect();
          wire.write(sent);
          if (isHalfOpen) wire.end();
          return heardUntilClosed(wire);
        }),
      );
      for (const text of heard) expectAnswers(text);
    });
    await fc.assert(property, { ...runs(3), endOnFailure: true });
  });

  it('with a request byte by byte times out', { timeout: TIMEOUT_MS }, async () => {
    const drip = async (text: string) => {
      const wire = await world.connect();
      const heard = heardUntilClosed(wire);
      let at = 0;
      const timer = setInterval(() => wire.write(text[at++] ?? 'x'), 20);
      const answer = await heard;
      clearInterval(timer);
      return { answer, at };
    };
    const [head, body] = await Promise.all([
      drip(`GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ${'x'.repeat(10_000)}`),
      drip(`POST ${COLLECTION} HTTP/1.1\r\nHost: x\r\n${AUTH}Content-Length: 100000\r\n\r\n`),
    ]);
    for (const { answer, at } of [head, body]) {
      expect(at).toBeLessThan(CLOSED_MS / 20);
      expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
    }
  });

  it('without a request or a TLS handshake is closed', { timeout: TIMEOUT_MS }, async () => {
    const silent = await world.connect();
    const plain = connectPlain({ host: '127.0.0.1', port: world.port });
    plain.on('error', () => undefined);
    await Promise.all([heardUntilClosed(silent), once(plain, 'close')]);
  });

  it('with many pipelined requests gets all responses in order', { timeout: TIMEOUT_MS }, async () => {
    const wire = await world.connect();
    const heard = heardUntilClosed(wire);
    const names = Array.from({ length: 60 }, (_, at) => `${COLLECTION}/piped-${at}`);
    wire.write(names.map(get).join(''));
    const answers = (await heard).split(/(?=HTTP\/1\.1 \d{3} )/);
    expect(answers.length).toBe(60);
    for (const [at, text] of answers.entries())
      expect(text).toContain(`"piped-${at}\\" not found"`.replace('"', '\\"'));
  });

  it('with too many pipelined requests gets no wrong response', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const wire = await world.connect();
    const heard = heardUntilClosed(wire);
    wire.write(get(`${COLLECTION}/seen`).repeat(2_000));
    const codes = (await heard).match(/^HTTP\/1\.1 \d{3}/gm) ?? [];
    for (const code of codes) expect(['HTTP/1.1 200', 'HTTP/1.1 429']).toContain(code);
  });

  it('ends with all its requests, including pipelined ones', async () => {
    const wire = await world.connect();
    wire.write(get(`${COLLECTION}?watch=1`).repeat(3));
    await once(wire, 'data');
    wire.destroy();
    // Looked at after each of these tests: no stream is left.
  });

  it('that is aborted anywhere leaves nothing behind', { timeout: TIMEOUT_MS }, async () => {
    const breakOff = async () => {
      const wire = await world.connect();
      const text = made % 3 === 0 ? get(`${COLLECTION}?watch=1`) : post();
      wire.write(text.slice(0, 1 + ((made * 37) % text.length)));
      if (made++ % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      wire.destroy();
    };
    const round = async () => {
      for (let count = 0; count < 5; count++) await Promise.all(Array.from({ length: 20 }, breakOff));
      await world.expectWell();
      await world.ask('DELETE', COLLECTION);
    };
    await round();
    const before = await heapBytes();
    for (let count = 0; count < 3; count++) await round();
    // 300 connections: what each leaves would show.
    expect((await heapBytes()) - before).toBeLessThan(300 * 20_000);
  });
});

describe('a watch that is not read', () => {
  it('is ended with its buffer, while other watches miss nothing', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const query = '?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Dlarge';
    const slow = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const wire = await world.connect();
        wire.write(get(`${COLLECTION}${query}`));
        await once(wire, 'readable');
        wire.pause();
        return wire;
      }),
    );
    const reader = await world.open('GET', `${COLLECTION}${query}`, { user: TENANT });
    let seen = '';
    let count = 0;
    reader.on('data', (chunk) => {
      seen += chunk;
      count += String(chunk).split('"type":"').length - 1;
      if (seen.length > 1_000_000) seen = '';
    });
    const before = await heapBytes();
    const data = { a: 'x'.repeat(500_000) };
    expect(
      (await world.ask('POST', COLLECTION, { body: { metadata: { name: 'large' }, data } })).status,
    ).toBe(201);
    // Each round is 10 MB more for the slow ones together, were it kept for each of them.
    const ROUNDS = 60;
    for (let round = 0; round < ROUNDS; round++) {
      const body = { data: { ...data, round: String(round) } };
      const headers = { 'content-type': 'application/merge-patch+json' };
      const { status } = await world.ask('PATCH', `${COLLECTION}/large`, { body, headers });
      expect(status).toBe(200);
    }
    for (let tries = 0; count < ROUNDS + 1 && tries < 500; tries++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(count).toBe(ROUNDS + 1);
    const streams = async () =>
      Number((await world.ask('GET', '/metrics')).text.match(/^millwright_streams (\d+)$/m)?.[1]);
    for (let tries = 0; (await streams()) > 1 && tries < 1_000; tries++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await streams()).toBe(1);
    for (const wire of slow) wire.destroy();
    reader.destroy();
    expect((await world.ask('DELETE', `${COLLECTION}/large`)).status).toBe(200);
    // The log of the store keeps what was written, once.
    expect((await heapBytes()) - before).toBeLessThan(ROUNDS * 3 * 500_000);
  });
});
