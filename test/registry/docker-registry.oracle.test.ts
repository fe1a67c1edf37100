/** Our client with the registry that Debian packages: open, with passwords, and with tokens. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bytesSource,
  credentialsFor,
  digestOf,
  parseAuthFile,
  pullTree,
  pushImage,
  type RegistryClient,
} from '../../src/images/index.ts';
import { osImage } from './base-os.ts';
import { client, type RunningRegistry, startDebians, startOurs } from './registries.ts';
import { lacks, ok } from './tools.ts';

const platform = { os: 'linux', architecture: 'arm64' };

/** What the client of an auth file with one entry is. */
function clientAs(host: string, user: string, password: string): RegistryClient {
  const outcome = parseAuthFile(JSON.stringify({ auths: { [host]: { auth: btoa(`${user}:${password}`) } } }));
  if (outcome.kind === 'invalid') throw new Error('the auth file is wrong');
  return client({ credentialsFor: (repository) => credentialsFor(outcome.value, repository) });
}

async function pushesAndPulls(one: RegistryClient, host: string): Promise<void> {
  const image = await osImage();
  const reference = { host, repository: 'os/base', tag: 'v1' };
  const pushed = await pushImage(one, reference, image);
  expect(pushed.digest).toBe(image.top.descriptor.digest);
  expect(await one.resolve(reference)).toEqual(pushed);
  expect(await one.tags(reference)).toEqual(['v1']);
  const { tree } = await pullTree(one, reference, platform);
  expect(tree.get('usr/lib/os-release')?.kind).toBe('file');
}

describe.skipIf(lacks('docker-registry'))("our client with Debian's registry", () => {
  let registry: RunningRegistry;
  beforeAll(async () => {
    registry = await startDebians();
  });
  afterAll(() => registry.stop());

  it('pushes an index with its images, and pulls one of them', async () => {
    await pushesAndPulls(client(), registry.host);
  });

  it('pushes in chunks, and mounts blobs from another repository', async () => {
    const bytes = new Uint8Array(300_000).map((_, at) => at % 251);
    const source = bytesSource(digestOf(bytes), bytes);
    const [from, to] = ['chunked/a', 'chunked/b'].map((repository) => ({ host: registry.host, repository }));
    if (from === undefined || to === undefined) throw new Error('there are two');
    const one = client();
    expect(await one.pushBlob(from, source, { chunkBytes: 100_000 })).toBe('uploaded');
    expect(await one.pushBlob(from, source)).toBe('present');
    expect(await one.pushBlob(to, source, { mountFrom: from.repository })).toBe('mounted');
    let size = 0;
    for await (const piece of one.readBlob(to, source)) size += piece.length;
    expect(size).toBe(bytes.length);
  });

  it('reports missing and deleted images as with our own registry', async () => {
    const ours = await startOurs();
    try {
      for (const { host } of [registry, ours]) {
        const one = client();
        const reference = { host, repository: 'gone/base', tag: 'v1' };
        const missing = `reading manifest v1 in ${host}/gone/base: manifest unknown`;
        await expect(one.fetchManifest(reference)).rejects.toMatchObject({
          reason: 'ManifestUnknown',
          message: missing,
        });
        const { digest } = await pushImage(one, reference, await osImage({ architectures: ['amd64'] }));
        await one.deleteManifest({ host, repository: 'gone/base', digest });
        await expect(one.resolve(reference)).rejects.toMatchObject({ message: missing });
        await expect(one.fetchManifest({ host, repository: 'gone/base', digest })).rejects.toMatchObject({
          message: `reading manifest ${digest} in ${host}/gone/base: manifest unknown`,
        });
        await expect(one.tags({ host, repository: 'never/was' })).rejects.toMatchObject({
          ...{
            reason: 'NameUnknown',
            message: `fetching tags list of ${host}/never/was: repository name not known to registry`,
          },
        });
      }
    } finally {
      await ours.stop();
    }
  });
});

describe.skipIf(lacks('docker-registry', 'htpasswd'))(
  "our client with Debian's registry and passwords",
  () => {
    let registry: RunningRegistry;
    beforeAll(async () => {
      registry = await startDebians({ htpasswd: await ok('htpasswd', ['-Bbn', 'ann', 's3cret']) });
    });
    afterAll(() => registry.stop());

    it('pushes and pulls with the right one', async () => {
      await pushesAndPulls(clientAs(registry.host, 'ann', 's3cret'), registry.host);
    });

    it.each([
      ['none', () => client()],
      ['a wrong one', () => clientAs(registry.host, 'ann', 'wr0ng')],
    ])('is rejected with %s, without naming it', async (_, open) => {
      const failed = open().fetchManifest({ host: registry.host, repository: 'os/base', tag: 'v1' });
      const message = `reading manifest v1 in ${registry.host}/os/base: authentication required`;
      await expect(failed).rejects.toMatchObject({ kind: 'stalled', reason: 'Unauthorized', message });
    });
  },
);

describe.skipIf(lacks('docker-registry', 'openssl'))("our client with Debian's registry and tokens", () => {
  let registry: RunningRegistry;
  let service: Server;
  let folder: string;
  const asked: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-token-'));
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await ok('openssl', [
      'req',
      '-x509',
      '-key',
      key,
      '-subj',
      '/CN=test',
      '-days',
      '2',
      '-out',
      certificate,
    ]);
    const der = (await ok('openssl', ['x509', '-in', certificate])).replace(/-----[^-]+-----|\s/g, '');
    service = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://x');
      asked.push(`${searchParams.getAll('scope').join(' ')} ${searchParams.get('account') ?? '-'}`);
      const isAnn = request.headers.authorization === `Basic ${btoa('ann:s3cret')}`;
      if (request.headers.authorization !== undefined && !isAnn) {
        response.writeHead(401).end('{"details": "incorrect username or password"}');
        return;
      }
      const access = searchParams.getAll('scope').map((scope) => {
        const [type, name, actions = ''] = scope.split(':');
        return { type, name, actions: isAnn ? actions.split(',') : ['pull'] };
      });
      const now = Math.floor(Date.now() / 1000);
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = { iss: 'test', aud: 'reg', sub: '', exp: now + 300, nbf: now - 10, iat: now, access };
      const body = `${part({ alg: 'ES256', typ: 'JWT', x5c: [der] })}.${part({ ...claims, jti: createHash('sha256').update(String(asked.length)).digest('hex') })}`;
      const signature = sign('sha256', Buffer.from(body), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      response.end(JSON.stringify({ token: `${body}.${signature.toString('base64url')}`, expires_in: 300 }));
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    const realm = `http://127.0.0.1:${(service.address() as AddressInfo).port}/token`;
    registry = await startDebians({
      auth: { token: { realm, service: 'reg', issuer: 'test', rootcertbundle: certificate } },
    });
  });
  afterAll(async () => {
    await registry.stop();
    service.closeAllConnections();
    service.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('pushes with a token for a password', async () => {
    await pushesAndPulls(clientAs(registry.host, 'ann', 's3cret'), registry.host);
    expect(new Set(asked)).toEqual(
      new Set(['repository:os/base:pull,push ann', 'repository:os/base:pull ann']),
    );
  });

  it('pulls with an anonymous token, and may not push with it', async () => {
    const one = client();
    const reference = { host: registry.host, repository: 'os/base', tag: 'v1' };
    const { tree } = await pullTree(one, reference, platform);
    expect(tree.size).toBeGreaterThan(20);
    await expect(
      one.pushManifest(reference, { bytes: new Uint8Array(), mediaType: 'text/x' }),
    ).rejects.toMatchObject({
      kind: 'stalled',
      reason: 'Unauthorized',
    });
  });

  it('reports a wrong password with the message of the service', async () => {
    const failed = clientAs(registry.host, 'ann', 'wr0ng').resolve({
      host: registry.host,
      repository: 'os/base',
      tag: 'v1',
    });
    await expect(failed).rejects.toMatchObject({
      message:
        'unable to retrieve auth token: invalid username/password: unauthorized: incorrect username or password',
    });
  });
});
