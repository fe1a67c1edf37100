import { describe, expect, it } from 'vitest';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import { digestOf } from '../../images/digest.ts';
import { OCI_INDEX, OCI_MANIFEST } from '../../images/media-types.ts';
import { readBytes } from '../../images/read-bytes.ts';
import { createMemoryRegistryStore } from './memory-registry-store.ts';
import type { RegistryResponse } from './registry-http.ts';
import { createRegistry, type RegistryOptions } from './registry-server.ts';

const text = (value: string) => new TextEncoder().encode(value);
const HELLO = digestOf(text('hello'));

type Ask = {
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | AsyncIterable<Uint8Array>;
};

function setUp(options: Partial<RegistryOptions> = {}) {
  const env = virtualEnv();
  const registry = createRegistry({ store: createMemoryRegistryStore(), env, ...options });
  const ask = async (line: string, { headers = {}, body = '' }: Ask = {}) => {
    const [method = '', target = ''] = line.split(' ');
    const [path = '', query = ''] = target.split('?');
    const pieces = typeof body === 'string' ? once(body) : body;
    const response = await registry.handle({ method, path, query, headers, body: pieces });
    return { ...response, text: await bodyText(response) };
  };
  const push = async (name: string, content = 'hello') =>
    ask(`POST /v2/${name}/blobs/uploads/?digest=${digestOf(text(content))}`, { body: content });
  const put = async (name: string, reference: string, document: object) => {
    const body = JSON.stringify(document);
    const answer = await ask(`PUT /v2/${name}/manifests/${reference}`, { body });
    return { ...answer, digest: digestOf(text(body)) };
  };
  return { env, registry, ask, push, put };
}

async function* once(body: string): AsyncGenerator<Uint8Array> {
  if (body !== '') yield text(body);
}

async function bodyText({ body }: RegistryResponse): Promise<string> {
  const bytes = body instanceof Uint8Array ? body : await readBytes(body, 1_000_000);
  return new TextDecoder().decode(bytes);
}

const image = (layer = 'hello') => ({
  schemaVersion: 2,
  mediaType: OCI_MANIFEST,
  config: { mediaType: 'application/json', digest: HELLO, size: 5 },
  layers: [{ mediaType: 'application/x', digest: digestOf(text(layer)), size: layer.length }],
});

describe('names', () => {
  it.each([
    '/v2/../../etc/passwd/tags/list',
    '/v2/a/../b/tags/list',
    '/v2/a/./b/tags/list',
    '/v2/a//b/tags/list',
    '/v2/%2e%2e/a/tags/list',
    '/v2/a%00b/tags/list',
    '/v2/a%5c..%5cb/tags/list',
    '/v2/_tags/tags/list',
    '/v2/a/_blobs/tags/list',
    `/v2/${'a'.repeat(256)}/tags/list`,
    '/v2/A/tags/list',
  ])('such as %s are invalid', async (path) => {
    const { ask } = setUp();
    const { status, text: body } = await ask(`GET ${path}`);
    expect([status, body]).toEqual([400, expect.stringContaining('NAME_INVALID')]);
  });

  it.each(['/', '/v3/', '/v2/a', '/v2/%zz/tags/list', `/v2/${'a/'.repeat(2_000)}tags/list`])(
    'lead nowhere: %s',
    async (path) => {
      expect((await setUp().ask(`GET ${path}`)).status).toBe(404);
    },
  );

  it('that are malicious in tags, digests and uploads find nothing', async () => {
    const { ask } = setUp();
    expect((await ask('GET /v2/a/manifests/..')).status).toBe(404);
    expect((await ask('PUT /v2/a/manifests/..')).status).toBe(400);
    expect((await ask('GET /v2/a/blobs/sha256:..')).status).toBe(400);
    expect((await ask('GET /v2/a/blobs/uploads/..')).status).toBe(404);
    expect((await ask('PATCH /v2/a/blobs/uploads/x')).status).toBe(404);
    expect((await ask('constructor /v2/a/tags/list')).status).toBe(405);
  });
});

describe('uploads', () => {
  const begin = async ({ ask }: ReturnType<typeof setUp>, name = 'a') =>
    (await ask(`POST /v2/${name}/blobs/uploads/`)).headers.location ?? '';

  it('reject concurrent writers', async () => {
    const world = setUp();
    const location = await begin(world);
    let release: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = (async function* () {
      yield text('hel');
      await waits;
      yield text('lo');
    })();
    const first = world.ask(`PATCH ${location}`, { body: slow });
    expect((await world.ask(`PATCH ${location}`, { body: 'x' })).status).toBe(416);
    expect((await world.ask(`DELETE ${location}`)).status).toBe(416);
    release();
    expect((await first).headers.range).toBe('0-4');
    expect((await world.ask(`PUT ${location}?digest=${HELLO}`)).status).toBe(201);
  });

  it('are unknown in another repository', async () => {
    const world = setUp();
    const location = await begin(world);
    expect((await world.ask(`PATCH ${location.replace('/a/', '/b/')}`, { body: 'x' })).status).toBe(404);
  });

  it('resume after an interruption', async () => {
    const world = setUp();
    const location = await begin(world);
    const broken = (async function* () {
      yield text('hel');
      throw new Error('the client has gone');
    })();
    await expect(world.ask(`PATCH ${location}`, { body: broken })).rejects.toThrow('gone');
    const { status, headers } = await world.ask(`GET ${location}`);
    expect([status, headers.range]).toEqual([204, '0-2']);
    const more = { headers: { 'content-range': '3-4', 'content-length': '2' }, body: 'lo' };
    expect((await world.ask(`PUT ${location}?digest=${HELLO}`, more)).status).toBe(201);
  });

  it('with contradictory length and range are rejected', async () => {
    const world = setUp();
    const headers = { 'content-range': '0-4', 'content-length': '3' };
    const { text: body } = await world.ask(`PATCH ${await begin(world)}`, { headers, body: 'hel' });
    expect(body).toContain('SIZE_INVALID');
  });

  it('that are too large are rejected and deleted', async () => {
    const world = setUp({ limits: { blobBytes: 4 } });
    const location = await begin(world);
    expect((await world.ask(`PATCH ${location}`, { body: 'hello' })).status).toBe(413);
    expect((await world.ask(`GET ${location}`)).status).toBe(404);
  });

  it('are limited in number, and idle ones are dropped', async () => {
    const world = setUp({ limits: { uploads: 2 } });
    const first = await begin(world);
    await begin(world);
    expect((await world.ask('POST /v2/a/blobs/uploads/')).status).toBe(429);
    await world.env.clock.advance(61 * 60_000);
    expect((await world.ask('POST /v2/a/blobs/uploads/')).status).toBe(202);
    expect((await world.ask(`GET ${first}`)).status).toBe(404);
  });
});

describe('collectGarbage', () => {
  const LONG = 2 * 60 * 60_000;

  it('deletes unreferenced blobs, and keeps recent ones', async () => {
    const { env, registry, ask, push, put } = setUp();
    await push('a');
    await push('a', 'old garbage');
    await put('a', 'v1', image());
    await env.clock.advance(LONG);
    await push('a', 'new');
    expect(await registry.collectGarbage()).toEqual({ manifests: 0, blobs: 1, bytes: 11 });
    expect((await ask(`GET /v2/a/blobs/${digestOf(text('old garbage'))}`)).status).toBe(404);
    expect((await ask(`GET /v2/a/blobs/${digestOf(text('new'))}`)).status).toBe(200);
    expect((await ask(`GET /v2/a/blobs/${HELLO}`)).text).toBe('hello');
    expect((await ask('GET /v2/a/manifests/v1')).status).toBe(200);
  });

  it('deletes blobs of a deleted manifest unless another repository uses them', async () => {
    const { env, registry, ask, push, put } = setUp();
    for (const name of ['a', 'b']) await push(name);
    await push('a', 'only a');
    const { digest } = await put('a', 'v1', image('only a'));
    await put('b', 'v1', image());
    await ask(`DELETE /v2/a/manifests/${digest}`);
    await env.clock.advance(LONG);
    expect(await registry.collectGarbage()).toMatchObject({ blobs: 2 });
    expect((await ask(`GET /v2/b/blobs/${HELLO}`)).text).toBe('hello');
  });

  it('keeps recently mounted blobs', async () => {
    const { env, registry, ask, push } = setUp();
    await push('a');
    await env.clock.advance(LONG);
    await ask(`POST /v2/b/blobs/uploads/?mount=${HELLO}&from=a`);
    expect(await registry.collectGarbage()).toMatchObject({ blobs: 0 });
    expect((await ask(`GET /v2/b/blobs/${HELLO}`)).text).toBe('hello');
    await env.clock.advance(LONG);
    expect(await registry.collectGarbage()).toMatchObject({ blobs: 1 });
    expect((await ask(`GET /v2/b/blobs/${HELLO}`)).status).toBe(404);
  });

  it('deletes unreachable manifests if configured', async () => {
    const { env, registry, ask, push, put } = setUp();
    await push('a');
    const untagged = await put('a', 'v1', image());
    const child = await put('a', 'v1', { ...image(), annotations: { a: 'child' } });
    const descriptor = { mediaType: OCI_MANIFEST, digest: child.digest, size: 1 };
    const top = await put('a', 'v1', { schemaVersion: 2, mediaType: OCI_INDEX, manifests: [descriptor] });
    const signature = { ...image(), subject: { mediaType: OCI_INDEX, digest: top.digest, size: 1 } };
    const referrer = await put('a', digestOf(text(JSON.stringify(signature))), signature);
    await env.clock.advance(LONG);
    expect(await registry.collectGarbage()).toMatchObject({ manifests: 0, blobs: 0 });
    expect(await registry.collectGarbage({ withUntagged: true })).toMatchObject({ manifests: 1, blobs: 1 });
    const status = async (digest: string) => (await ask(`GET /v2/a/manifests/${digest}`)).status;
    expect(await Promise.all([untagged, child, top, referrer].map(({ digest }) => status(digest)))).toEqual([
      404, 200, 200, 200,
    ]);
  });

  it('excludes concurrent pushes', async () => {
    const { registry, ask, push, put } = setUp();
    await push('a');
    const [collected, pushed] = await Promise.all([
      registry.collectGarbage({ graceMs: 0 }),
      put('a', 'v1', image()),
    ]);
    // Whichever came first: a manifest that was taken is whole.
    expect(collected.blobs + (pushed.status === 201 ? 1 : 0)).toBe(1);
    expect((await ask(`GET /v2/a/blobs/${HELLO}`)).status).toBe(pushed.status === 201 ? 200 : 404);
  });

  it('removes referrers of a deleted manifest from the list', async () => {
    const { ask, push, put } = setUp();
    await push('a');
    const { digest } = await put('a', 'v1', image());
    const signature = await put('a', 'sig', {
      ...image(),
      subject: { mediaType: OCI_MANIFEST, digest, size: 1 },
    });
    const listed = async () => JSON.parse((await ask(`GET /v2/a/referrers/${digest}`)).text).manifests.length;
    expect(await listed()).toBe(1);
    await ask(`DELETE /v2/a/manifests/${signature.digest}`);
    expect(await listed()).toBe(0);
  });
});

describe('lists', () => {
  it('with an invalid page size are rejected', async () => {
    const { ask, push } = setUp();
    await push('a');
    for (const n of ['x', '-1', '1e3']) {
      const { status, text: body } = await ask(`GET /v2/a/tags/list?n=${n}`);
      expect([status, body]).toEqual([400, expect.stringContaining('PAGINATION_NUMBER_INVALID')]);
    }
  });

  it('of a repository without tags are empty', async () => {
    const { ask, push } = setUp();
    await push('a');
    expect(JSON.parse((await ask('GET /v2/a/tags/list')).text)).toEqual({ name: 'a', tags: [] });
  });
});
