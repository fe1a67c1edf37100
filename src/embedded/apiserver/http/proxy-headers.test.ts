import { describe, expect, it } from 'vitest';
import type { Request, Response } from './http.ts';
import { forwardedHeaders, returnedHeaders } from './proxy-headers.ts';

describe('forwardedHeaders', () => {
  const cases: readonly (readonly [string, Request['headers'], Request['headers']])[] = [
    [
      'keep headers of the content',
      { accept: 'text/plain', cookie: 'a=b' },
      { accept: 'text/plain', cookie: 'a=b' },
    ],
    ['drop credentials', { authorization: 'Bearer x', 'proxy-authorization': 'Basic y' }, {}],
    [
      'drop impersonation and identity headers',
      { 'impersonate-user': 'eve', 'impersonate-extra-a': 'b', 'x-remote-user': 'eve' },
      {},
    ],
    ['drop hop-by-hop headers', { 'keep-alive': '5', te: 'trailers', upgrade: 'spdy/3.1' }, {}],
    [
      'drop headers that Connection names',
      { connection: 'close, X-Own', 'x-own': '1', 'x-other': '2' },
      { 'x-other': '2' },
    ],
    [
      'drop headers of the host and the body',
      { host: 'a', 'content-length': '9', expect: '100-continue' },
      {},
    ],
    ['drop headers without a value', { accept: undefined }, {}],
  ];
  it.each(cases)('%s', (_, headers, expected) => {
    expect(forwardedHeaders(headers)).toEqual(expected);
  });
});

describe('returnedHeaders', () => {
  const cases: readonly (readonly [string, Response['headers'], Response['headers']])[] = [
    [
      'keep repeated headers',
      [
        ['Set-Cookie', 'a'],
        ['Set-Cookie', 'b'],
      ],
      [
        ['Set-Cookie', 'a'],
        ['Set-Cookie', 'b'],
      ],
    ],
    [
      'drop hop-by-hop headers in any case',
      [
        ['Transfer-Encoding', 'chunked'],
        ['Connection', 'keep-alive, X-Own'],
        ['Keep-Alive', 'timeout=5'],
        ['x-own', '1'],
        ['content-type', 'text/plain'],
      ],
      [['content-type', 'text/plain']],
    ],
  ];
  it.each(cases)('%s', (_, headers, expected) => {
    expect(returnedHeaders(headers)).toEqual(expected);
  });
});
