import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../base/env.ts';
import { createRegistryClient, type RegistryClientOptions } from '../../images/client.ts';
import { createDigester, digestOf } from '../../images/digest.ts';
import { createLoopbackTransport } from '../../images/loopback-transport.ts';
import { bytesSource } from '../../images/push-blob.ts';
import { createTrustingTransport } from '../../images/registry-certificates.ts';
import type { RegistryTransport } from '../../images/transport.ts';
import { createNodeRegistryTransport } from '../../images/transport-node.ts';
import { createAuthority, issueServerCertificate } from '../apiserver/pki/certificates-node.ts';
import { createMemoryRegistryStore } from './memory-registry-store.ts';
import { createRegistry, type RegistryOptions } from './registry-server.ts';
import {
  type RegistryServer,
  type RegistryServerOptions,
  startRegistryServer,
} from './registry-server-node.ts';

const env = {
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  signal: new AbortController().signal,
};
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function started(
  options: Partial<RegistryOptions> = {},
  serving: Partial<RegistryServerOptions> = {},
): Promise<RegistryServer> {
  const { handle } = createRegistry({ store: createMemoryRegistryStore(), env, ...options });
  const server = await startRegistryServer({ handle, env, port: 0, ...serving });
  cleanups.push(() => server.stop());
  return server;
}

function transport(authorityPem?: string): RegistryTransport {
  const one = createNodeRegistryTransport({ clock: systemClock });
  cleanups.push(() => one.close());
  return createTrustingTransport(one, authorityPem);
}

const client = (options: Partial<RegistryClientOptions> = {}) =>
  createRegistryClient({ transport: transport(), env, ...options });

describe('the registry on a socket', () => {
  it('fails on a port in use', async () => {
    const { port } = await started();
    await expect(started({}, { port })).rejects.toMatchObject({ kind: 'stalled', reason: 'PortTaken' });
  });

  it('responds to an oversized request before reading all of it', async () => {
    const { port } = await started({ limits: { blobBytes: 1_000 } });
    const begun = await fetch(`http://127.0.0.1:${port}/v2/a/blobs/uploads/`, { method: 'POST' });
    const location = `http://127.0.0.1:${port}${begun.headers.get('location')}`;
    const body = new Uint8Array(5_000_000);
    const answer = await fetch(location, { method: 'PATCH', body });
    expect(answer.status).toBe(413);
    expect((await fetch(`http://127.0.0.1:${port}/v2/`)).status).toBe(200);
  });

  it('keeps the received part of an upload after a disconnect', async () => {
    const { port } = await started();
    const begun = await fetch(`http://127.0.0.1:${port}/v2/a/blobs/uploads/`, { method: 'POST' });
    const path = begun.headers.get('location');
    const socket = connect(port, '127.0.0.1');
    socket.write(`PATCH ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhello`);
    await once(socket, 'connect');
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    const rangeOf = async () => (await fetch(`http://127.0.0.1:${port}${path}`)).headers.get('range');
    await expect.poll(rangeOf).toBe('0-4');
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'DELETE' })).status)
      .toBe(204);
  });

  it('answers HEAD without a body and with the length', async () => {
    const { port } = await started();
    await client().pushBlob(
      { host: `127.0.0.1:${port}`, repository: 'a' },
      bytesSource(digestOf(new Uint8Array(9)), new Uint8Array(9)),
    );
    const head = await fetch(`http://127.0.0.1:${port}/v2/a/blobs/${digestOf(new Uint8Array(9))}`, {
      method: 'HEAD',
    });
    expect([head.headers.get('content-length'), (await head.arrayBuffer()).byteLength]).toEqual(['9', 0]);
  });

  it('streams a large blob in both directions', async () => {
    const { port } = await started();
    const host = `127.0.0.1:${port}`;
    const piece = new Uint8Array(1024 * 1024).map((_, at) => at % 253);
    const [count, digester] = [24, createDigester('sha256')];
    for (let number = 0; number < count; number++) digester.update(piece);
    const source = {
      digest: digester.digest(),
      size: count * piece.length,
      async *read() {
        for (let number = 0; number < count; number++) yield piece;
      },
    };
    const one = client();
    expect(await one.pushBlob({ host, repository: 'a' }, source)).toBe('uploaded');
    let [size, pieces] = [0, 0];
    for await (const chunk of one.readBlob({ host, repository: 'a' }, source)) {
      size += chunk.length;
      pieces += 1;
    }
    expect(size).toBe(source.size);
    expect(pieces).toBeGreaterThan(10);
  });

  it('is unreachable after it is stopped', async () => {
    const server = await started();
    await server.stop();
    cleanups.length = 0;
    const failed = client({ limits: { attempts: 1 } }).tags({
      host: `127.0.0.1:${server.port}`,
      repository: 'a',
    });
    await expect(failed).rejects.toMatchObject({
      reason: 'Unreachable',
      message: expect.stringContaining('connection refused'),
    });
  });
});

describe('the registry with TLS', () => {
  const isPlainHttp = () => false;

  it('is trusted only by clients with its CA', async () => {
    const authority = createAuthority(systemClock);
    const certificate = issueServerCertificate(authority, { clock: systemClock });
    const { port } = await started({}, { certificate });
    const repository = { host: `127.0.0.1:${port}`, repository: 'a' };
    const knowing = client({ transport: transport(authority.certPem), isPlainHttp });
    await expect(knowing.tags(repository)).rejects.toMatchObject({ reason: 'NameUnknown' });
    const stranger = client({ isPlainHttp, limits: { attempts: 1 } });
    await expect(stranger.tags(repository)).rejects.toMatchObject({
      message: expect.stringContaining('x509: certificate signed by unknown authority'),
    });
    const careless = createNodeRegistryTransport({ clock: systemClock, isUnverified: () => true });
    cleanups.push(() => careless.close());
    await expect(client({ transport: careless, isPlainHttp }).tags(repository)).rejects.toMatchObject({
      reason: 'NameUnknown',
    });
    const plain = client({ limits: { attempts: 1 } });
    await expect(plain.tags(repository)).rejects.toThrow();
  });

  it('is no longer trusted once the CA is gone, although a connection is open', async () => {
    const authority = createAuthority(systemClock);
    const certificate = issueServerCertificate(authority, { clock: systemClock });
    const { port } = await started({}, { certificate });
    const repository = { host: `127.0.0.1:${port}`, repository: 'a' };
    const shared = transport();
    const trusting = (pem: string | undefined) =>
      client({ transport: createTrustingTransport(shared, pem), isPlainHttp, limits: { attempts: 1 } });
    await expect(trusting(authority.certPem).tags(repository)).rejects.toMatchObject({
      reason: 'NameUnknown',
    });
    const other = createAuthority(systemClock).certPem;
    for (const pem of [undefined, other, 'nonsense', authority.certPem.replace(/[A-Z]/g, 'x')]) {
      await expect(trusting(pem).tags(repository), pem).rejects.toThrow(
        'certificate signed by unknown authority',
      );
    }
    const bundle = `a comment\n${other}\n${authority.certPem}`;
    await expect(trusting(bundle).tags(repository)).rejects.toMatchObject({ reason: 'NameUnknown' });
  });

  it('is verified on the loopback interface too, where plain HTTP is used only without TLS', async () => {
    const authority = createAuthority(systemClock);
    const certificate = issueServerCertificate(authority, { clock: systemClock });
    const [secure, plain] = [await started({}, { certificate }), await started()];
    const tags = (port: number, pem?: string) =>
      client({
        transport: createLoopbackTransport(transport(pem)),
        isPlainHttp,
        limits: { attempts: 1 },
      }).tags({ host: `localhost:${port}`, repository: 'a' });
    await expect(tags(secure.port)).rejects.toThrow('certificate signed by unknown authority');
    await expect(tags(secure.port, authority.certPem)).rejects.toMatchObject({ reason: 'NameUnknown' });
    await expect(tags(plain.port)).rejects.toMatchObject({ reason: 'NameUnknown' });
  });

  it('does not serve plain HTTP', async () => {
    const { port } = await started();
    const failed = client({ isPlainHttp, limits: { attempts: 1 } }).tags({
      host: `127.0.0.1:${port}`,
      repository: 'a',
    });
    await expect(failed).rejects.toMatchObject({
      message: expect.stringContaining('http: server gave HTTP response to HTTPS client'),
    });
  });
});
