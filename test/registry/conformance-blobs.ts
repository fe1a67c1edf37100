/** Blobs and uploads. */
import * as c from './conformance.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const blobCases: readonly c.Case[] = [
  {
    title: 'a missing blob is unknown',
    seen: async (t) => c.refusal(await c.ask(t, { to: `blobs/${c.OTHER_DIGEST}` })),
    expected: [404, 'BLOB_UNKNOWN: blob unknown to registry'],
  },
  {
    title: 'an invalid digest is rejected',
    seen: async (t) => c.refusal(await c.ask(t, { to: 'blobs/sha256:zz' })),
    expected: [400, 'DIGEST_INVALID: provided digest did not match uploaded content'],
  },
  {
    title: 'an upload begins with a location',
    seen: async (t) => {
      const answer = await c.ask(t, { method: 'POST', to: 'blobs/uploads/' });
      const path = new URL(c.locationOf(t, answer)).pathname;
      const id = answer.header('docker-upload-uuid') ?? '';
      return [
        answer.status,
        answer.header('range'),
        UUID.test(id),
        path === `/v2/${t.repository}/blobs/uploads/${id}`,
      ];
    },
    expected: [202, '0-0', true, true],
  },
  {
    title: 'a blob is pushed in one request',
    seen: async (t) => {
      const answer = await c.pushHello(t);
      const path = new URL(c.locationOf(t, answer)).pathname;
      return [answer.status, answer.header('docker-content-digest'), path.replace(t.repository, 'NAME')];
    },
    expected: [201, c.HELLO_DIGEST, `/v2/NAME/blobs/${c.HELLO_DIGEST}`],
  },
  {
    title: 'a blob is pulled with its digest and length',
    seen: async (t) => {
      await c.pushHello(t);
      const answer = await c.ask(t, { to: `blobs/${c.HELLO_DIGEST}` });
      const names = ['content-length', 'content-type', 'docker-content-digest', 'etag', 'accept-ranges'];
      return [answer.status, answer.text, ...names.map(answer.header)];
    },
    expected: [200, 'hello', '5', 'application/octet-stream', c.HELLO_DIGEST, `"${c.HELLO_DIGEST}"`, 'bytes'],
  },
  {
    title: 'HEAD returns the length without the bytes',
    seen: async (t) => {
      await c.pushHello(t);
      const answer = await c.ask(t, { method: 'HEAD', to: `blobs/${c.HELLO_DIGEST}` });
      return [answer.status, answer.text, answer.header('content-length')];
    },
    expected: [200, '', '5'],
  },
  ...[
    ['bytes=1-2', [206, 'el', 'bytes 1-2/5']],
    ['bytes=3-', [206, 'lo', 'bytes 3-4/5']],
    ['bytes=-2', [206, 'lo', 'bytes 3-4/5']],
    ['bytes=0-99', [206, 'hello', 'bytes 0-4/5']],
  ].map(
    ([range, expected]): c.Case => ({
      title: `the range ${range} of a blob is that part of it`,
      seen: async (t) => {
        await c.pushHello(t);
        const answer = await c.ask(t, { to: `blobs/${c.HELLO_DIGEST}`, headers: { range: String(range) } });
        return [answer.status, answer.text, answer.header('content-range')];
      },
      expected,
    }),
  ),
  {
    title: 'a range beyond the end is rejected',
    seen: async (t) => {
      await c.pushHello(t);
      const answer = await c.ask(t, { to: `blobs/${c.HELLO_DIGEST}`, headers: { range: 'bytes=9-' } });
      return [answer.status, answer.header('content-range')];
    },
    expected: [416, 'bytes */5'],
  },
  {
    title: 'a blob is pushed in chunks, and the registry returns the received range',
    seen: async (t) => {
      const first = await c.ask(t, {
        method: 'PATCH',
        to: await c.begin(t),
        body: 'hel',
        headers: { ...c.OCTETS, 'content-range': '0-2' },
      });
      const status = await c.ask(t, { to: c.locationOf(t, first) });
      const second = await c.ask(t, {
        method: 'PATCH',
        to: c.locationOf(t, status),
        body: 'lo',
        headers: { ...c.OCTETS, 'content-range': '3-4' },
      });
      const end = c.withDigest(c.locationOf(t, second), c.HELLO_DIGEST);
      const last = await c.ask(t, { method: 'PUT', to: end });
      return [
        first.status,
        first.header('range'),
        status.status,
        status.header('range'),
        second.header('range'),
        last.status,
      ];
    },
    expected: [202, '0-2', 204, '0-2', '0-4', 201],
  },
  {
    title: 'the last chunk may come with the closing request',
    seen: async (t) => {
      const first = await c.ask(t, { method: 'PATCH', to: await c.begin(t), body: 'hel', headers: c.OCTETS });
      const end = c.withDigest(c.locationOf(t, first), c.HELLO_DIGEST);
      return (await c.ask(t, { method: 'PUT', to: end, body: 'lo', headers: c.OCTETS })).status;
    },
    expected: 201,
  },
  {
    title: 'a chunk out of order is rejected, with the received range',
    seen: async (t) => {
      const answer = await c.ask(t, {
        method: 'PATCH',
        to: await c.begin(t),
        body: 'hello',
        headers: { ...c.OCTETS, 'content-range': '5-9' },
      });
      return [answer.status, answer.header('range')];
    },
    expected: [416, '0-0'],
    debians: {
      expected: [202, '0-4'],
      because: '2.8 does not look at Content-Range; the specification wants 416, as newer versions answer',
    },
  },
  {
    title: 'a chunk with an invalid range is rejected',
    seen: async (t) => {
      const answer = await c.ask(t, {
        method: 'PATCH',
        to: await c.begin(t),
        body: 'hello',
        headers: { ...c.OCTETS, 'content-range': 'five' },
      });
      return answer.status;
    },
    expected: 416,
    debians: { expected: 202, because: '2.8 does not look at Content-Range' },
  },
  {
    title: 'content with another digest is rejected, and the upload ends',
    seen: async (t) => {
      const location = c.withDigest(await c.begin(t), c.OTHER_DIGEST);
      const refused = c.refusal(
        await c.ask(t, { method: 'PUT', to: location, body: 'hello', headers: c.OCTETS }),
      );
      const after = await c.ask(t, { to: location });
      const blob = await c.ask(t, { to: `blobs/${c.OTHER_DIGEST}` });
      return [refused, after.status, blob.status];
    },
    expected: [[400, 'DIGEST_INVALID: provided digest did not match uploaded content'], 404, 404],
  },
  {
    title: 'an upload that ends without a digest is rejected',
    seen: async (t) => c.refusal(await c.ask(t, { method: 'PUT', to: await c.begin(t) })),
    expected: [400, 'DIGEST_INVALID: provided digest did not match uploaded content'],
  },
  {
    title: 'a cancelled upload is unknown',
    seen: async (t) => {
      const location = await c.begin(t);
      const first = await c.ask(t, { method: 'DELETE', to: location });
      return [first.status, c.refusal(await c.ask(t, { method: 'DELETE', to: location }))];
    },
    expected: [204, [404, 'BLOB_UPLOAD_UNKNOWN: blob upload unknown to registry']],
  },
  {
    title: 'an upload that never existed is unknown',
    seen: async (t) =>
      c.refusal(await c.ask(t, { to: 'blobs/uploads/8a39f1c0-2f62-4a3a-8a0a-000000000000' })),
    expected: [404, 'BLOB_UPLOAD_UNKNOWN: blob upload unknown to registry'],
    debians: {
      expected: [404, 'BLOB_UPLOAD_INVALID: blob upload invalid'],
      because: 'its uploads carry signed state, which is missing here; ours are known by their name alone',
    },
  },
  {
    title: 'a blob is mounted from another repository',
    seen: async (t) => {
      await c.pushHello(t);
      const other = { ...t, repository: `${t.repository}-other` };
      const to = `blobs/uploads/?mount=${c.HELLO_DIGEST}&from=${t.repository}`;
      const answer = await c.ask(other, { method: 'POST', to });
      const pulled = await c.ask(other, { to: `blobs/${c.HELLO_DIGEST}` });
      return [answer.status, answer.header('docker-content-digest'), pulled.text];
    },
    expected: [201, c.HELLO_DIGEST, 'hello'],
  },
  {
    title: 'a mount of a missing blob becomes an upload',
    seen: async (t) => {
      const to = `blobs/uploads/?mount=${c.OTHER_DIGEST}&from=nowhere`;
      const answer = await c.ask(t, { method: 'POST', to });
      return [answer.status, answer.header('docker-upload-uuid') !== undefined];
    },
    expected: [202, true],
  },
  {
    title: 'a blob of one repository is unknown in another',
    seen: async (t) => {
      await c.pushHello(t);
      return (await c.ask({ ...t, repository: `${t.repository}-other` }, { to: `blobs/${c.HELLO_DIGEST}` }))
        .status;
    },
    expected: 404,
  },
  {
    title: 'a blob is pushed with the first request',
    seen: async (t) => {
      const to = `blobs/uploads/?digest=${c.HELLO_DIGEST}`;
      return (await c.ask(t, { method: 'POST', to, body: 'hello', headers: c.OCTETS })).status;
    },
    expected: 201,
    debians: { expected: 202, because: 'it leaves this out, as the specification allows' },
  },
  {
    title: 'a blob is deleted once',
    seen: async (t) => {
      await c.pushHello(t);
      const first = await c.ask(t, { method: 'DELETE', to: `blobs/${c.HELLO_DIGEST}` });
      const pulled = await c.ask(t, { to: `blobs/${c.HELLO_DIGEST}` });
      return [
        first.status,
        pulled.status,
        c.refusal(await c.ask(t, { method: 'DELETE', to: `blobs/${c.HELLO_DIGEST}` })),
      ];
    },
    expected: [202, 404, [404, 'BLOB_UNKNOWN: blob unknown to registry']],
  },
  {
    title: 'the same blob is pushed twice',
    seen: async (t) => [(await c.pushHello(t)).status, (await c.pushHello(t)).status],
    expected: [201, 201],
  },
];
