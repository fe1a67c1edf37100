/** The sockets, with real TLS on the loopback interface. */
import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/env.ts';
import { certificateIssuer } from '../certificates/certificate-issuer-node.ts';
import { serverCertificates } from '../certificates/index.ts';
import { createHttpsListener } from './https-listener-node.ts';
import type { ConfigRequest, ConfigResponse } from './request.ts';

const wanted = { hosts: ['127.0.0.1', 'localhost'], nowMs: systemClock.now(), issuer: certificateIssuer };
const first = serverCertificates({}, wanted);
const second = serverCertificates({ authority: first.authority }, wanted);
const ca = first.authority.certPem;
const BODY = new TextEncoder().encode('{"ignition":{}}');

type Got = {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
};

describe('createHttpsListener', () => {
  const open: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.stop()));
  });

  const start = async (
    answer: (given: ConfigRequest) => Promise<ConfigResponse> = async () => ({
      status: 200,
      headers: { 'content-type': 'application/json', 'content-length': String(BODY.length) },
      body: BODY,
    }),
    plainPort?: number,
  ) => {
    let ports: { readonly port: number; readonly plainPort?: number } | undefined;
    const listener = createHttpsListener({
      answer,
      host: '127.0.0.1',
      port: 0,
      plainPort,
      onOpen: (opened) => {
        ports = opened;
      },
    });
    open.push(listener);
    await listener.useCertificate(first.server);
    if (ports === undefined) throw new Error('it is not open');
    return { listener, ...ports };
  };
  const get = async (port: number, options: object = {}): Promise<Got> => {
    const send = request({ host: '127.0.0.1', port, path: '/config/worker', ca, agent: false, ...options });
    return receive(send);
  };
  const receive = async (send: ReturnType<typeof request>): Promise<Got> => {
    send.end();
    const [response] = await once(send, 'response');
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(response, 'end');
    return {
      status: response.statusCode,
      headers: response.headers,
      body: Buffer.concat(chunks).toString(),
    };
  };
  const handshake = async (port: number, options: object = {}): Promise<TLSSocket> => {
    const socket = connect({ host: '127.0.0.1', port, ca, ...options });
    await once(socket, 'secureConnect');
    return socket;
  };

  it('answers over TLS, with what the client has sent', async () => {
    const asked: ConfigRequest[] = [];
    const { port } = await start(async (given) => {
      asked.push(given);
      return { status: 200, headers: { 'content-length': String(BODY.length) }, body: BODY };
    });
    const headers = { accept: 'a/b', authorization: 'Bearer x', 'user-agent': 'Ignition/2.20.0' };
    expect(await get(port, { path: '/config/worker?token=t', headers })).toMatchObject({
      status: 200,
      body: '{"ignition":{}}',
    });
    expect(asked).toEqual([
      {
        method: 'GET',
        target: '/config/worker?token=t',
        accept: 'a/b',
        authorization: 'Bearer x',
        userAgent: 'Ignition/2.20.0',
        source: '127.0.0.1',
      },
    ]);
  });

  it('sends a length of zero with an error, and no body for HEAD', async () => {
    const { port } = await start(async ({ method }) =>
      method === 'HEAD' ? { status: 200, headers: { 'content-length': '15' } } : { status: 404, headers: {} },
    );
    expect(await get(port)).toMatchObject({ status: 404, headers: { 'content-length': '0' }, body: '' });
    expect(await get(port, { method: 'HEAD' })).toMatchObject({
      status: 200,
      headers: { 'content-length': '15' },
      body: '',
    });
  });

  it('speaks HTTP/1.1 alone', async () => {
    const { port } = await start();
    const socket = await handshake(port, { ALPNProtocols: ['h2', 'http/1.1'] });
    expect(socket.alpnProtocol).toBe('http/1.1');
    socket.destroy();
  });

  it('uses another certificate for new connections, and keeps those that are open', async () => {
    const { port, listener } = await start();
    const before = await handshake(port);
    await listener.useCertificate(second.server);
    const after = await handshake(port);
    expect(after.getPeerCertificate().fingerprint256).not.toBe(before.getPeerCertificate().fingerprint256);
    before.write('GET /config/worker HTTP/1.1\r\nHost: x\r\n\r\n');
    const [bytes] = (await once(before, 'data')) as [Buffer];
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 200 /);
    before.destroy();
    after.destroy();
  });

  it('refuses a damaged certificate, and goes on with the one it has', async () => {
    const { port, listener } = await start();
    const damaged = { certPem: 'damaged', keyPem: first.server.keyPem };
    await expect(listener.useCertificate(damaged)).rejects.toMatchObject({ reason: 'CertificateUnusable' });
    expect(await get(port)).toMatchObject({ status: 200 });
  });

  it('serves plain HTTP only where it is asked for', async () => {
    const { plainPort } = await start(undefined, 0);
    const send = plainRequest({ host: '127.0.0.1', port: plainPort, path: '/config/worker', agent: false });
    expect(await receive(send)).toMatchObject({ status: 200 });
    expect((await start()).plainPort).toBeUndefined();
  });

  it('says which port is taken, and leaves nothing open', async () => {
    const { port } = await start();
    const other = createHttpsListener({
      answer: async () => ({ status: 200, headers: {} }),
      host: '127.0.0.1',
      port: 0,
      plainPort: port,
    });
    await expect(other.useCertificate(first.server)).rejects.toMatchObject({
      reason: 'PortUnusable',
      message: `port ${port} is taken`,
    });
    await other.stop();
  });

  it('closes connections of a source that opens too many, before it works for them', async () => {
    let answered = 0;
    const { port } = await start(async () => {
      answered++;
      return { status: 200, headers: {} };
    });
    const asked = await Promise.allSettled(Array.from({ length: 150 }, () => get(port)));
    const refused = asked.filter(({ status }) => status === 'rejected').length;
    expect(answered).toBeGreaterThanOrEqual(60);
    expect(answered + refused).toBe(150);
    expect(refused).toBeGreaterThan(0);
  });

  it('refuses headers that are too large', async () => {
    const { port } = await start();
    expect(await get(port, { headers: { accept: 'a'.repeat(20_000) } })).toMatchObject({ status: 431 });
  });

  it('disconnects a client that sends a body', async () => {
    const { port } = await start();
    const headers = { 'content-length': '5' };
    const send = request({ host: '127.0.0.1', port, ca, method: 'POST', path: '/', headers, agent: false });
    send.write('12345');
    expect(await receive(send)).toMatchObject({ headers: { connection: 'close' } });
  });
});
