/** Manifests, lists and what is about them all. */
import { expect } from 'vitest';
import * as c from './conformance.ts';

const index = (digest: string, size: number) =>
  JSON.stringify({
    schemaVersion: 2,
    mediaType: c.INDEX_TYPE,
    manifests: [
      { mediaType: c.MANIFEST_TYPE, digest, size, platform: { os: 'linux', architecture: 'amd64' } },
    ],
  });

const SUBJECT = {
  mediaType: c.MANIFEST_TYPE,
  digest: c.digestOfText(c.manifest()),
  size: c.manifest().length,
};
const SIGNATURE = c.manifest({
  subject: SUBJECT,
  artifactType: 'text/signature',
  annotations: { by: 'ann' },
});

export const manifestCases: readonly c.Case[] = [
  {
    title: 'the base URL identifies a registry',
    seen: async (t) => {
      const answer = await c.ask(t, { to: '/v2/' });
      return [answer.status, JSON.parse(answer.text), answer.header('docker-distribution-api-version')];
    },
    expected: [200, {}, 'registry/2.0'],
  },
  {
    title: 'the base URL without its slash redirects to the one with it',
    seen: async (t) => {
      const answer = await c.ask(t, { to: '/v2' });
      return [answer.status, answer.header('location')];
    },
    expected: [301, '/v2/'],
  },
  {
    title: 'a missing tag is unknown',
    seen: async (t) => {
      const answer = await c.ask(t, { to: 'manifests/v9' });
      return [c.refusal(answer), JSON.parse(answer.text).errors[0].detail];
    },
    expected: [[404, 'MANIFEST_UNKNOWN: manifest unknown'], { Tag: 'v9' }],
  },
  {
    title: 'a missing digest is unknown',
    seen: async (t) => {
      const answer = await c.ask(t, { to: `manifests/${c.OTHER_DIGEST}` });
      return [c.refusal(answer), JSON.parse(answer.text).errors[0].detail.Revision];
    },
    expected: [[404, 'MANIFEST_UNKNOWN: manifest unknown'], c.OTHER_DIGEST],
  },
  {
    title: 'HEAD of a missing manifest has no body',
    seen: async (t) => {
      const answer = await c.ask(t, { method: 'HEAD', to: 'manifests/v9' });
      return [answer.status, answer.text];
    },
    expected: [404, ''],
  },
  {
    title: 'a manifest is pushed by tag and pulled by tag and digest, byte by byte',
    seen: async (t) => {
      await c.pushHello(t);
      const text = c.manifest();
      const digest = c.digestOfText(text);
      const pushed = await c.pushManifest(t, 'v1', text);
      const byTag = await c.ask(t, { to: 'manifests/v1', headers: c.ACCEPT_ALL });
      const byDigest = await c.ask(t, { to: `manifests/${digest}`, headers: c.ACCEPT_ALL });
      const head = await c.ask(t, { method: 'HEAD', to: 'manifests/v1', headers: c.ACCEPT_ALL });
      return [
        pushed.status,
        pushed.header('docker-content-digest') === digest,
        new URL(c.locationOf(t, pushed)).pathname === `/v2/${t.repository}/manifests/${digest}`,
        byTag.text === text,
        byDigest.text === text,
        byTag.header('content-type'),
        byTag.header('docker-content-digest') === digest,
        byTag.header('etag') === `"${digest}"`,
        head.status,
        head.text,
        head.header('content-length') === String(text.length),
      ];
    },
    expected: [201, true, true, true, true, c.MANIFEST_TYPE, true, true, 200, '', true],
  },
  {
    title: 'a manifest is pushed by digest, without a tag',
    seen: async (t) => {
      await c.pushHello(t);
      const text = c.manifest();
      const pushed = await c.pushManifest(t, c.digestOfText(text), text);
      return [
        pushed.status,
        (await c.ask(t, { to: `manifests/${c.digestOfText(text)}`, headers: c.ACCEPT_ALL })).status,
      ];
    },
    expected: [201, 200],
  },
  {
    title: 'a manifest that is pushed by another digest is rejected',
    seen: async (t) => {
      await c.pushHello(t);
      return c.refusal(await c.pushManifest(t, c.OTHER_DIGEST));
    },
    expected: [400, 'DIGEST_INVALID: provided digest did not match uploaded content'],
  },
  {
    title: 'a manifest with missing blobs is rejected, and each is named',
    seen: async (t) => {
      const missing = `sha256:${'1'.repeat(64)}`;
      const layers = [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', digest: missing, size: 1 }];
      const answer = await c.pushManifest(t, 'v1', c.manifest({ layers }));
      const details = JSON.parse(answer.text).errors.map(({ detail }: { detail: string }) => detail);
      return [c.refusal(answer), details.sort()];
    },
    expected: [
      [
        400,
        'MANIFEST_BLOB_UNKNOWN: blob unknown to registry',
        'MANIFEST_BLOB_UNKNOWN: blob unknown to registry',
      ],
      [`sha256:${'1'.repeat(64)}`, c.HELLO_DIGEST].sort(),
    ],
  },
  {
    title: 'an index with missing manifests is rejected',
    seen: async (t) => c.refusal(await c.pushManifest(t, 'v1', index(c.OTHER_DIGEST, 2))),
    expected: [400, 'MANIFEST_BLOB_UNKNOWN: blob unknown to registry'],
  },
  {
    title: 'an index is pushed once its manifests exist',
    seen: async (t) => {
      await c.pushHello(t);
      const text = c.manifest();
      await c.pushManifest(t, c.digestOfText(text), text);
      const pushed = await c.pushManifest(t, 'v1', index(c.digestOfText(text), text.length));
      const pulled = await c.ask(t, { to: 'manifests/v1', headers: c.ACCEPT_ALL });
      return [pushed.status, pulled.header('content-type')];
    },
    expected: [201, c.INDEX_TYPE],
  },
  {
    title: 'a manifest that is not JSON is rejected',
    seen: async (t) => {
      const headers = { 'content-type': c.MANIFEST_TYPE };
      return c.refusal(await c.ask(t, { method: 'PUT', to: 'manifests/v1', body: 'no', headers }));
    },
    expected: [400, 'MANIFEST_INVALID: manifest invalid'],
  },
  {
    title: 'an empty manifest is rejected',
    seen: async (t) => {
      const headers = { 'content-type': c.MANIFEST_TYPE };
      return c.refusal(await c.ask(t, { method: 'PUT', to: 'manifests/v1', body: '{}', headers }));
    },
    expected: [400, 'MANIFEST_INVALID: manifest invalid'],
    debians: { expected: [500, 'UNKNOWN: unknown error'], because: 'it stumbles over the missing config' },
  },
  {
    title: 'a manifest of an unknown type is rejected',
    seen: async (t) => {
      const headers = { 'content-type': 'text/plain' };
      return c.refusal(await c.ask(t, { method: 'PUT', to: 'manifests/v1', body: c.manifest(), headers }));
    },
    expected: [400, 'MANIFEST_INVALID: manifest invalid'],
  },
  {
    title: 'a manifest that contradicts its media type is rejected',
    seen: async (t) => {
      await c.pushHello(t);
      const headers = { 'content-type': 'application/vnd.docker.distribution.manifest.v2+json' };
      return c.refusal(await c.ask(t, { method: 'PUT', to: 'manifests/v1', body: c.manifest(), headers }));
    },
    expected: [400, 'MANIFEST_INVALID: manifest invalid'],
  },
  {
    title: 'a manifest of more than 4 MiB is rejected as too large',
    seen: async (t) => {
      const text = c.manifest({ annotations: { long: 'x'.repeat(4 * 1024 * 1024) } });
      return c.refusal(await c.pushManifest(t, 'v1', text));
    },
    expected: [413, 'MANIFEST_INVALID: manifest invalid'],
    debians: {
      expected: [400, 'MANIFEST_INVALID: manifest invalid'],
      because: 'the specification has come to want 413',
    },
  },
  {
    title: 'a tag moves to the manifest that was pushed last, and the other stays under its digest',
    seen: async (t) => {
      await c.pushHello(t);
      const [one, two] = [c.manifest(), c.manifest({ annotations: { two: '2' } })];
      await c.pushManifest(t, 'v1', one);
      await c.pushManifest(t, 'v1', two);
      const byTag = await c.ask(t, { to: 'manifests/v1', headers: c.ACCEPT_ALL });
      const old = await c.ask(t, { to: `manifests/${c.digestOfText(one)}`, headers: c.ACCEPT_ALL });
      return [byTag.text === two, old.text === one];
    },
    expected: [true, true],
  },
  {
    title: 'a manifest is deleted by digest, with its tags',
    seen: async (t) => {
      await c.pushHello(t);
      await c.pushManifest(t, 'v1');
      await c.pushManifest(t, 'v2');
      const deleted = await c.ask(t, { method: 'DELETE', to: `manifests/${c.digestOfText(c.manifest())}` });
      const pulled = c.refusal(await c.ask(t, { to: 'manifests/v1', headers: c.ACCEPT_ALL }));
      const tags = JSON.parse((await c.ask(t, { to: 'tags/list' })).text).tags;
      return [deleted.status, pulled, tags ?? []];
    },
    expected: [202, [404, 'MANIFEST_UNKNOWN: manifest unknown'], []],
  },
  {
    title: 'a tag is deleted alone',
    seen: async (t) => {
      await c.pushHello(t);
      await c.pushManifest(t, 'v1');
      await c.pushManifest(t, 'v2');
      const deleted = await c.ask(t, { method: 'DELETE', to: 'manifests/v1' });
      const { tags } = JSON.parse((await c.ask(t, { to: 'tags/list' })).text);
      return [deleted.status, tags];
    },
    expected: [202, ['v2']],
    debians: { expected: [400, ['v1', 'v2']], because: '2.8 deletes by digest only' },
  },
  {
    title: 'a missing manifest cannot be deleted',
    seen: async (t) => c.refusal(await c.ask(t, { method: 'DELETE', to: `manifests/${c.OTHER_DIGEST}` })),
    expected: [404, 'MANIFEST_UNKNOWN: manifest unknown'],
  },
  {
    title: 'a manifest is served to clients without an Accept header',
    seen: async (t) => {
      await c.pushHello(t);
      await c.pushManifest(t, 'v1');
      return (await c.ask(t, { to: 'manifests/v1' })).status;
    },
    expected: 200,
    debians: {
      expected: 404,
      because: 'it keeps formats from clients of before they existed; no client of ours is so old',
    },
  },
  {
    title: 'tags are listed in order',
    seen: async (t) => {
      await c.pushHello(t);
      for (const tag of ['b', 'a', 'C', '1.0', '_x']) await c.pushManifest(t, tag);
      const list = JSON.parse((await c.ask(t, { to: 'tags/list' })).text);
      return [list.name === t.repository, list.tags];
    },
    expected: [true, ['1.0', 'C', '_x', 'a', 'b']],
    debians: {
      expected: [true, expect.arrayContaining(['1.0', 'C', '_x', 'a', 'b'])],
      because: '2.8 lists them as the disk does',
    },
  },
  {
    title: 'tags are listed page by page',
    seen: async (t) => {
      await c.pushHello(t);
      for (const tag of ['a', 'b', 'c']) await c.pushManifest(t, tag);
      const first = await c.ask(t, { to: 'tags/list?n=2' });
      const next = /<([^>]+)>; rel="next"/.exec(first.header('link') ?? '')?.[1] ?? '/';
      const second = await c.ask(t, { to: next });
      const none = await c.ask(t, { to: 'tags/list?n=0' });
      return [first, second, none].map(({ text, header }) => [
        JSON.parse(text || '{}').tags,
        header('link') !== undefined,
      ]);
    },
    expected: [
      [['a', 'b'], true],
      [['c'], false],
      [[], false],
    ],
    debians: {
      expected: [
        [expect.arrayContaining(['a', 'b', 'c']), false],
        [undefined, false],
        [expect.arrayContaining(['a', 'b', 'c']), false],
      ],
      because: '2.8 has no pages of tags',
    },
  },
  {
    title: 'the tags of a missing repository are unknown',
    seen: async (t) => c.refusal(await c.ask(t, { to: 'tags/list' })),
    expected: [404, 'NAME_UNKNOWN: repository name not known to registry'],
  },
  {
    title: 'the catalog lists repositories page by page',
    seen: async (t) => {
      for (const name of ['aaa', 'aaa-b']) {
        const target = { ...t, repository: name };
        await c.pushHello(target);
        await c.pushManifest(target, 'v1');
      }
      const answer = await c.ask(t, { to: '/v2/_catalog?n=1' });
      const next = await c.ask(t, { to: '/v2/_catalog?n=1&last=aaa' });
      return [JSON.parse(answer.text), answer.header('link'), JSON.parse(next.text)];
    },
    expected: [
      { repositories: ['aaa'] },
      '</v2/_catalog?last=aaa&n=1>; rel="next"',
      { repositories: ['aaa-b'] },
    ],
  },
  {
    title: 'the referrers of a manifest are listed, filtered by type',
    seen: async (t) => {
      await c.pushHello(t);
      await c.pushManifest(t, 'v1');
      const { digest } = SUBJECT;
      const pushed = await c.pushManifest(t, c.digestOfText(SIGNATURE), SIGNATURE);
      const all = await c.ask(t, { to: `referrers/${digest}` });
      const some = await c.ask(t, { to: `referrers/${digest}?artifactType=text/signature` });
      const none = await c.ask(t, { to: `referrers/${digest}?artifactType=other` });
      const listed = (answer: c.RegistryResponse) =>
        answer.status === 200 ? JSON.parse(answer.text).manifests : answer.status;
      return [
        pushed.header('oci-subject') === digest,
        all.header('content-type'),
        listed(all),
        [listed(some).length, some.header('oci-filters-applied')],
        listed(none),
      ];
    },
    expected: [
      true,
      c.INDEX_TYPE,
      [
        {
          mediaType: c.MANIFEST_TYPE,
          digest: c.digestOfText(SIGNATURE),
          size: SIGNATURE.length,
          artifactType: 'text/signature',
          annotations: { by: 'ann' },
        },
      ],
      [1, 'artifactType'],
      [],
    ],
    debians: {
      expected: [false, 'text/plain; charset=utf-8', 404, [undefined, undefined], 404],
      because: 'referrers came with version 1.1 of the specification, after 2.8',
    },
  },
  {
    title: 'a missing manifest has no referrers',
    seen: async (t) => {
      const answer = await c.ask(t, { to: `referrers/${c.OTHER_DIGEST}` });
      return [answer.status, answer.status === 200 ? JSON.parse(answer.text).manifests : undefined];
    },
    expected: [200, []],
    debians: { expected: [404, undefined], because: 'as above' },
  },
  {
    title: 'a name with capitals is invalid',
    seen: async (t) => c.refusal(await c.ask({ ...t, repository: 'Upper' }, { to: 'tags/list' })),
    expected: [400, 'NAME_INVALID: invalid repository name'],
    debians: {
      expected: [404, '404 page not found'],
      because: 'it has no page for such names; the specification has a code for them',
    },
  },
  {
    title: 'a name with .. is invalid',
    seen: async (t) => c.refusal(await c.ask(t, { to: '/v2/a/%2e%2e/%2e%2e/x/tags/list' })),
    expected: [404, 'UNSUPPORTED: The operation is unsupported.'],
    debians: { expected: [404, '404 page not found'], because: 'the address leads out of the interface' },
  },
  {
    title: 'an invalid tag cannot be pushed',
    seen: async (t) => (await c.ask(t, { method: 'PUT', to: 'manifests/.bad', body: '{}' })).status,
    expected: 400,
    debians: { expected: 404, because: 'it has no page for such tags' },
  },
  {
    title: 'an unsupported method is rejected, with the supported ones',
    seen: async (t) => {
      const answer = await c.ask(t, { method: 'POST', to: 'manifests/v1' });
      return [answer.status, answer.header('allow')];
    },
    expected: [405, 'DELETE, GET, HEAD, PUT'],
  },
];
