import { describe, expect, it } from 'vitest';
import { type Script, scriptedTransport } from '../../test/registry/scripted-transport.ts';
import { virtualEnv } from '../../test/support/virtual-env.ts';
import { Failure } from '../base/errors.ts';
import { createRegistryClient, type RegistryClientOptions } from './client.ts';
import { digestOf } from './digest.ts';
import type { ImageReference } from './image-reference.ts';
import { OCI_INDEX, OCI_MANIFEST } from './media-types.ts';
import { bytesSource } from './push-blob.ts';
import { readBytes } from './read-bytes.ts';

const text = (value: string) => new TextEncoder().encode(value);
const reference: ImageReference = { host: 'quay.io', repository: 'team/os', tag: 'v1' };
const MANIFEST = JSON.stringify({
  schemaVersion: 2,
  mediaType: OCI_MANIFEST,
  layers: [],
  config: { mediaType: 'application/json', digest: digestOf(text('{}')), size: 2 },
});
const served = { status: 200, headers: { 'content-type': OCI_MANIFEST }, body: [MANIFEST] };
const lost = () =>
  new Failure('transient', 'Unreachable', 'Get "https://quay.io/v2/": read: connection reset by peer');
const errors = (code: string, message: string) => [JSON.stringify({ errors: [{ code, message }] })];

function setUp(script: Script, options: Partial<RegistryClientOptions> = {}) {
  const env = virtualEnv();
  const transport = scriptedTransport(script);
  const client = createRegistryClient({ transport, env, ...options });
  /** With as much time as it takes. */
  const resolved = <T>(promise: Promise<T>) => env.clock.resolved(promise, 10 * 60_000);
  const failure = (promise: Promise<unknown>) =>
    resolved(
      promise.then(
        () => {
          throw new Error('it does not fail');
        },
        (error: unknown) => error as Failure,
      ),
    );
  const sent = () => transport.requests.map(({ method, url }) => `${method} ${url}`);
  return { env, client, transport, resolved, failure, sent };
}

describe('fetchManifest', () => {
  it.each([
    [404, errors('MANIFEST_UNKNOWN', 'manifest unknown'), 'ManifestUnknown', 'manifest unknown'],
    [
      404,
      errors('MANIFEST_UNKNOWN', 'no such tag: v1'),
      'ManifestUnknown',
      'manifest unknown: no such tag: v1',
    ],
    [
      404,
      errors('NAME_UNKNOWN', 'repository name not known to registry'),
      'NameUnknown',
      'repository name not known to registry',
    ],
    [
      401,
      errors('UNAUTHORIZED', 'access to the requested resource is not authorized'),
      'Unauthorized',
      'unauthorized: access to the requested resource is not authorized',
    ],
    [
      403,
      errors('DENIED', 'requested access to the resource is denied'),
      'Denied',
      'requested access to the resource is denied',
    ],
    [
      404,
      ['<html>no such page, and a very long text about it'],
      'NotFound',
      'StatusCode: 404, "<html>no such page, and a very long text about it"',
    ],
    [400, errors('UNSUPPORTED', 'a\u001b[31m\nb'), 'Unsupported', 'unsupported: a [31m b'],
    [404, [''], 'NotFound', 'StatusCode: 404, ""'],
    [418, ['{"errors": [5]}'], 'Refused', 'StatusCode: 418, "{\\"errors\\": [5]}"'],
  ])(
    'reports an error response (%s %s) with the message of the registry',
    async (status, body, reason, text) => {
      const { client, failure } = setUp(() => ({ status, body }));
      expect(await failure(client.fetchManifest(reference))).toMatchObject({
        kind: 'stalled',
        reason,
        message: `reading manifest v1 in quay.io/team/os: ${text}`,
      });
    },
  );

  it('rejects bytes with another digest than the requested one', async () => {
    const { client, failure } = setUp(() => served);
    const digest = digestOf(text('something else'));
    expect(await failure(client.fetchManifest({ ...reference, digest }))).toMatchObject({
      reason: 'DigestMismatch',
      message: expect.stringContaining(`Manifest does not match provided manifest digest ${digest}`),
    });
  });

  it('rejects bytes with another digest than the registry sends', async () => {
    const headers = { ...served.headers, 'docker-content-digest': digestOf(text('else')) };
    const { client, failure } = setUp(() => ({ ...served, headers }));
    expect((await failure(client.fetchManifest(reference))).reason).toBe('DigestMismatch');
  });

  it('reads no more than the limit of a manifest', async () => {
    const piece = new Uint8Array(1024 * 1024);
    const { client, failure } = setUp(() => ({ ...served, body: Array(1_000).fill(piece) }));
    expect((await failure(client.fetchManifest(reference))).reason).toBe('BadManifest');
  });

  it('retries with growing delays without a response', async () => {
    const { client, env, resolved, transport } = setUp((_, number) => (number < 3 ? lost() : served));
    await resolved(client.fetchManifest(reference));
    expect(transport.requests.length).toBe(4);
    expect(env.clock.monotonic()).toBeGreaterThan(1_500);
  });

  it('fails after the last retry, with the cause', async () => {
    const { client, failure, transport } = setUp(lost);
    expect(await failure(client.fetchManifest(reference))).toMatchObject({
      kind: 'transient',
      reason: 'Unreachable',
      message:
        'pinging container registry quay.io: Get "https://quay.io/v2/": read: connection reset by peer',
    });
    expect(transport.requests.length).toBe(4);
  });

  it('waits for Retry-After, within limits', async () => {
    const busy = (seconds: string) => ({ status: 429, headers: { 'retry-after': seconds }, body: [''] });
    const { client, env, resolved } = setUp((_, number) => (number === 0 ? busy('30') : served));
    await resolved(client.fetchManifest(reference));
    expect(env.clock.monotonic()).toBeGreaterThanOrEqual(30_000);
    const other = setUp(() => busy('86400'));
    expect((await other.failure(other.client.fetchManifest(reference))).reason).toBe('TooManyRequests');
    expect(other.transport.requests.length).toBe(1);
  });

  it('times out without a response', async () => {
    const { client, failure } = setUp(() => new Promise(() => undefined), { limits: { attempts: 1 } });
    expect((await failure(client.fetchManifest(reference))).kind).toBe('transient');
  });

  it('stops waiting when it is cancelled', async () => {
    const { client, failure } = setUp(lost);
    const wanted = new AbortController();
    const result = failure(client.fetchManifest(reference, { signal: wanted.signal }));
    wanted.abort();
    expect((await result).kind).toBe('cancelled');
  });
});

describe('redirects of the registry', () => {
  const basic = { credentialsFor: () => ({ username: 'ann', password: 'secret' }) };
  const challenge = { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } };

  it('are followed, without credentials for other hosts', async () => {
    const { client, resolved, transport } = setUp(({ url, headers }) => {
      if (url.startsWith('https://cdn.io')) return served;
      if (!('authorization' in headers)) return challenge;
      return { status: 307, headers: { location: 'https://cdn.io/x?signature=s' } };
    }, basic);
    await resolved(client.fetchManifest(reference));
    expect(transport.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      `Basic ${btoa('ann:secret')}`,
      undefined,
    ]);
  });

  it('get no credentials for challenges of other hosts', async () => {
    const { client, failure, transport } = setUp(({ url }) => {
      if (url.startsWith('https://quay.io'))
        return { status: 307, headers: { location: 'https://u:p@cdn.io/x' } };
      return { status: 401, headers: { 'www-authenticate': 'Bearer realm="https://evil.io/"' } };
    }, basic);
    expect((await failure(client.fetchManifest(reference))).reason).toBe('Unauthorized');
    expect(transport.requests.map(({ url }) => new URL(url).host)).toEqual(['quay.io', 'cdn.io']);
    expect(JSON.stringify(transport.requests)).not.toContain('u:p@');
  });

  it.each([
    ['to plain HTTP', 'http://cdn.io/x'],
    ['to files', 'file:///etc/passwd'],
    ['to nowhere', 'http://['],
  ])('%s are rejected', async (_, location) => {
    const { client, failure } = setUp(() => ({ status: 302, headers: { location } }));
    expect(await failure(client.fetchManifest(reference))).toMatchObject({
      kind: 'stalled',
      reason: 'BadRedirect',
    });
  });

  it('fail in a loop, without secrets in the message', async () => {
    const { client, failure, transport } = setUp(() => ({
      status: 302,
      headers: { location: '/v2/?token=secret' },
    }));
    const { reason, message } = await failure(client.fetchManifest(reference));
    expect([reason, transport.requests.length]).toEqual(['BadRedirect', 6]);
    expect(message).not.toContain('secret');
  });
});

describe('tokens', () => {
  const CHALLENGE = 'Bearer realm="https://auth.io/token?x=1",service="reg",scope="repository:other:pull"';
  const asking = {
    status: 401,
    headers: { 'www-authenticate': CHALLENGE },
    body: errors('UNAUTHORIZED', 'authentication required'),
  };
  const registry =
    (token: (number: number) => string): Script =>
    ({ url, headers }, number) => {
      if (url.startsWith('https://auth.io'))
        return { status: 200, body: [JSON.stringify({ token: token(number) })] };
      return headers.authorization?.startsWith('Bearer good') === true ? served : asking;
    };

  it('are requested anonymously', async () => {
    const { client, resolved, transport, sent } = setUp(registry(() => 'good'));
    await resolved(client.fetchManifest(reference));
    expect(sent()[1]).toBe('GET https://auth.io/token?x=1&service=reg&scope=repository%3Ateam%2Fos%3Apull');
    expect(transport.requests[1]?.headers.authorization).toBeUndefined();
  });

  it('are requested with a password, which is not sent to the registry', async () => {
    const credentialsFor = (name: string) =>
      name === 'quay.io/team/os' ? { username: 'ann', password: 'secret' } : undefined;
    const { client, resolved, transport } = setUp(
      registry(() => 'good'),
      { credentialsFor },
    );
    await resolved(client.fetchManifest(reference));
    expect(transport.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      `Basic ${btoa('ann:secret')}`,
      'Bearer good',
    ]);
    expect(transport.requests[1]?.url).toContain('account=ann');
  });

  it('are cached until they expire', async () => {
    const { client, env, resolved, sent } = setUp(registry((number) => `good${number}`));
    await resolved(client.fetchManifest(reference));
    await resolved(client.fetchManifest(reference));
    expect(sent().length).toBe(4);
    await env.clock.advance(60_000);
    await resolved(client.fetchManifest(reference));
    expect(sent().filter((line) => line.includes('auth.io')).length).toBe(2);
    expect(sent().length).toBe(6);
  });

  it('that are rejected are requested once more, before the request fails', async () => {
    const { client, failure, sent } = setUp(registry(() => 'bad'));
    const { reason, message } = await failure(client.fetchManifest(reference));
    expect([reason, message]).toEqual([
      'Unauthorized',
      'reading manifest v1 in quay.io/team/os: authentication required',
    ]);
    expect(sent().length).toBe(3);
  });

  it('that are denied for a password fail without the password in the message', async () => {
    const { client, failure } = setUp(
      ({ url }) =>
        url.startsWith('https://auth.io')
          ? { status: 401, body: ['{"details": "incorrect username or password"}'] }
          : asking,
      { credentialsFor: () => ({ username: 'ann', password: 'hunter2' }) },
    );
    const { message } = await failure(client.fetchManifest(reference));
    expect(message).toBe(
      'unable to retrieve auth token: invalid username/password: unauthorized: incorrect username or password',
    );
  });

  it('time out', async () => {
    const { client, failure } = setUp(
      ({ url }) => (url.startsWith('https://auth.io') ? new Promise(() => undefined) : asking),
      { limits: { attempts: 1 } },
    );
    expect((await failure(client.fetchManifest(reference))).reason).toBe('Timeout');
  });

  it.each(['', 'http://auth.io/token', 'file:///x', 'javascript:1'])(
    'are not asked for at %j',
    async (realm) => {
      const headers = { 'www-authenticate': `Bearer realm="${realm}"` };
      const { client, failure, sent } = setUp(() => ({ status: 401, headers }), {
        credentialsFor: () => ({ username: 'ann', password: 'hunter2' }),
      });
      expect((await failure(client.fetchManifest(reference))).reason).toBe('BadChallenge');
      expect(sent().length).toBe(1);
    },
  );

  it.each(['no JSON', '{}', '{"token": "a\\nb"}', '{"token": 5}'])(
    'that are none (%s) are not used',
    async (body) => {
      const { client, failure } = setUp(({ url }) =>
        url.startsWith('https://auth.io') ? { status: 200, body: [body] } : asking,
      );
      expect((await failure(client.fetchManifest(reference))).reason).toBe('BadToken');
    },
  );
});

describe('readBlob', () => {
  const content = text('abcdefghij');
  const blob = { digest: digestOf(content), size: content.length };
  const rest = (range: string | undefined) => {
    const start = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0);
    return { start, headers: start === 0 ? {} : { 'content-range': `bytes ${start}-9/10` } };
  };

  it('resumes an interrupted stream', async () => {
    const { client, resolved, transport } = setUp(({ headers }, number) => {
      const { start, headers: sent } = rest(headers.range);
      const piece = content.subarray(start, start + 4);
      const isLast = start + 4 >= 10;
      return {
        status: start === 0 ? 200 : 206,
        headers: sent,
        body: isLast ? [piece] : [piece, ...(number === 0 ? [lost()] : [])],
      };
    });
    expect(await resolved(readBytes(client.readBlob(reference, blob), 100))).toEqual(content);
    expect(transport.requests.map(({ headers }) => headers.range)).toEqual([
      undefined,
      'bytes=4-',
      'bytes=8-',
    ]);
  });

  it('reads from the start where the registry has no ranges, and skips known bytes', async () => {
    const { client, resolved } = setUp((_, number) => ({
      status: 200,
      body: number === 0 ? [content.subarray(0, 7), lost()] : [content.subarray(0, 3), content.subarray(3)],
    }));
    expect(await resolved(readBytes(client.readBlob(reference, blob), 100))).toEqual(content);
  });

  it('rejects a blob with another digest at its end', async () => {
    const { client, failure } = setUp(() => ({ status: 200, body: ['abcdefghiX'] }));
    expect(await failure(readBytes(client.readBlob(reference, blob), 100))).toMatchObject({
      reason: 'DigestMismatch',
      message: `Digest did not match, expected ${blob.digest}, got ${digestOf(text('abcdefghiX'))}`,
    });
  });

  it('rejects a blob that exceeds its size, at once', async () => {
    const { client, failure } = setUp(() => ({ status: 200, body: Array(1_000_000).fill('abcdefghij') }));
    expect((await failure(readBytes(client.readBlob(reference, blob), 100))).reason).toBe('SizeMismatch');
  });

  it('rejects a blob above the limit without a request', async () => {
    const { client, failure, sent } = setUp(() => served, { limits: { blobBytes: 9 } });
    expect((await failure(readBytes(client.readBlob(reference, blob), 100))).reason).toBe('BlobTooLarge');
    expect(sent()).toEqual([]);
  });

  it('fails where no progress is made', async () => {
    const { client, failure, transport } = setUp(() => ({ status: 200, body: [content.subarray(0, 4)] }));
    expect((await failure(readBytes(client.readBlob(reference, blob), 100))).reason).toBe('Broken');
    expect(transport.requests.length).toBeLessThan(10);
  });

  it('rejects another range than the requested one', async () => {
    const { client, failure } = setUp((_, number) =>
      number === 0
        ? { status: 200, body: [content.subarray(0, 4), lost()] }
        : { status: 206, headers: { 'content-range': 'bytes 6-9/10' }, body: [content.subarray(6)] },
    );
    expect((await failure(readBytes(client.readBlob(reference, blob), 100))).kind).toBe('stalled');
  });

  it('times out without a next chunk', async () => {
    const { client, failure } = setUp(() => ({ status: 200 }), {
      transport: {
        send: async () => ({
          status: 200,
          headers: {},
          body: (async function* () {
            yield content.subarray(0, 4);
            await new Promise(() => undefined);
          })(),
        }),
      },
      limits: { attempts: 1, resumes: 0 },
    });
    expect((await failure(readBytes(client.readBlob(reference, blob), 100))).reason).toBe('Timeout');
  });
});

describe('fetchImage', () => {
  const index = JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests: [] });

  it('names the platform without an image', async () => {
    const { client, failure } = setUp(() => ({
      status: 200,
      headers: { 'content-type': OCI_INDEX },
      body: [index],
    }));
    const platform = { os: 'linux', architecture: 's390x' };
    expect(await failure(client.fetchImage(reference, platform))).toMatchObject({
      reason: 'NoSuchPlatform',
      message:
        'choosing image instance: no image found in image index for architecture "s390x", variant "", OS "linux"',
    });
  });
});

describe('pushBlob', () => {
  const content = text('abcdefghij');
  const source = bytesSource(digestOf(content), content);
  const sentBody = async (body: unknown) =>
    new TextDecoder().decode(
      body instanceof Uint8Array ? body : await readBytes(body as AsyncIterable<Uint8Array>, 100),
    );

  it('sends chunks, and resumes after the received bytes', async () => {
    let received = '';
    const { client, resolved, sent } = setUp(async ({ method, body, headers }, number) => {
      if (method === 'HEAD') return { status: 404 };
      const range = `0-${Math.max(0, received.length - 1)}`;
      if (method === 'POST') return { status: 202, headers: { location: '/v2/up/1', range } };
      if (method === 'GET') return { status: 204, headers: { location: '/v2/up/1?again', range } };
      if (method === 'PUT') return { status: received === 'abcdefghij' ? 201 : 400 };
      const start = /^\d+/.exec(String(headers['content-range']))?.[0];
      if (Number(start) !== received.length) return { status: 416 };
      received += await sentBody(body);
      // It arrived, but the response was lost.
      if (number === 3) throw lost();
      return { status: 202, headers: { location: '/v2/up/1', range: `0-${received.length - 1}` } };
    });
    expect(await resolved(client.pushBlob(reference, source, { chunkBytes: 4 }))).toBe('uploaded');
    expect(received).toBe('abcdefghij');
    expect(sent().filter((line) => line.startsWith('PATCH')).length).toBe(3);
  });

  it('restarts if the upload is unknown', async () => {
    const { client, resolved, sent } = setUp(({ method }, number) => {
      if (method === 'HEAD') return { status: 404 };
      if (method === 'POST') return { status: 202, headers: { location: 'https://other.io/up' } };
      return number < 3 ? lost() : { status: 201 };
    });
    expect(await resolved(client.pushBlob(reference, source))).toBe('uploaded');
    expect(sent()).toEqual([
      `HEAD https://quay.io/v2/team/os/blobs/${source.digest}`,
      'POST https://quay.io/v2/team/os/blobs/uploads/',
      `PUT https://other.io/up?digest=${encodeURIComponent(source.digest)}`,
      'POST https://quay.io/v2/team/os/blobs/uploads/',
      `PUT https://other.io/up?digest=${encodeURIComponent(source.digest)}`,
    ]);
  });

  it('mounts a blob from another repository, with its pull scope', async () => {
    const asking = { status: 401, headers: { 'www-authenticate': 'Bearer realm="https://auth.io/"' } };
    const { client, resolved, sent } = setUp(({ url, method, headers }) => {
      if (url.startsWith('https://auth.io')) return { status: 200, body: ['{"token": "t"}'] };
      if (!('authorization' in headers)) return asking;
      return { status: method === 'HEAD' ? 404 : 201 };
    });
    expect(await resolved(client.pushBlob(reference, source, { mountFrom: 'team/base' }))).toBe('mounted');
    expect(sent().at(-2)).toBe(
      'GET https://auth.io/?scope=repository%3Ateam%2Fos%3Apull%2Cpush&scope=repository%3Ateam%2Fbase%3Apull',
    );
  });

  it('reports the message of a registry that rejects pushes', async () => {
    const { client, failure } = setUp(({ method }) =>
      method === 'HEAD' ? { status: 404 } : { status: 403, body: errors('DENIED', 'quota exceeded') },
    );
    expect(await failure(client.pushBlob(reference, source))).toMatchObject({
      kind: 'stalled',
      reason: 'Denied',
      message: 'initiating layer upload to team/os: denied: quota exceeded',
    });
  });
});

describe('tags', () => {
  it('are read from all pages', async () => {
    const { client, resolved } = setUp(({ url }) =>
      url.endsWith('tags/list')
        ? {
            status: 200,
            headers: { link: '</v2/team/os/tags/list?last=a&n=1>; rel="next"' },
            body: ['{"tags": ["a"]}'],
          }
        : { status: 200, body: ['{"tags": ["b"]}'] },
    );
    expect(await resolved(client.tags(reference))).toEqual(['a', 'b']);
  });

  it('fail beyond the limit', async () => {
    const headers = { link: '</v2/team/os/tags/list?n=1>; rel="next"' };
    const { client, failure } = setUp(() => ({ status: 200, headers, body: ['{"tags": ["a"]}'] }), {
      limits: { tags: 10 },
    });
    expect((await failure(client.tags(reference))).reason).toBe('TooManyTags');
  });
});
