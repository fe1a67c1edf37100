import { expect, test } from 'vitest';
import { Failure } from '../base/errors.ts';
import { createInsecureTransport } from './insecure-transport.ts';

async function* nothing() {}

function recorded(answer: (url: string) => Failure | undefined) {
  const asked: string[] = [];
  const transport = createInsecureTransport({
    async send({ url }) {
      asked.push(url);
      const failure = answer(url);
      if (failure !== undefined) throw failure;
      return { status: 200, headers: {}, body: nothing() };
    },
  });
  const get = (url: string) => transport.send({ method: 'GET', url, headers: {} });
  return { asked, get };
}

const refused = new Failure('transient', 'Unreachable', 'connection refused');

test('a request fails with the last error where neither HTTPS nor HTTP works', async () => {
  const { asked, get } = recorded(() => refused);
  await expect(get('http://a.io/v2/')).rejects.toBe(refused);
  expect(asked).toEqual(['https://a.io/v2/', 'http://a.io/v2/']);
});

test('a cancelled request is not repeated over HTTP', async () => {
  const cancelled = new Failure('cancelled', 'Cancelled', 'no longer wanted');
  const { asked, get } = recorded(() => cancelled);
  await expect(get('http://a.io/v2/')).rejects.toBe(cancelled);
  expect(asked).toEqual(['https://a.io/v2/']);
});

test('HTTPS is preferred', async () => {
  const { asked, get } = recorded(() => undefined);
  expect((await get('http://a.io/v2/')).status).toBe(200);
  expect(asked).toEqual(['https://a.io/v2/']);
});

test('a host with plain HTTP is remembered, and no other with it', async () => {
  const { asked, get } = recorded((url) => (url.startsWith('https:') ? refused : undefined));
  await get('http://a.io/v2/');
  await get('http://a.io/v2/x');
  await get('http://b.io/v2/');
  expect(asked).toEqual([
    'https://a.io/v2/',
    'http://a.io/v2/',
    'http://a.io/v2/x',
    'https://b.io/v2/',
    'http://b.io/v2/',
  ]);
});
