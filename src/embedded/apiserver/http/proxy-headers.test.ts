import { describe, expect, it } from 'vitest';
import type { Request, Response } from './http.ts';
import { forwardedHeaders, returnedHeaders } from './proxy-headers.ts';

describe('forwardedHeaders', () => {
  const cases: readonly (readonly [string, Request['headers'], Request['headers']])[] = [
    [
      'keep what it is about',
      { accept: 'text/plain', cookie: 'a=b' },
      { accept: 'text/plain', cookie: 'a=b' },
    ],
    ['do not prove who asks', { authorization: 'Bearer x', 'proxy-authorization': 'Basic y' }, {}],
    [
      'do not say for whom it is asked',
      { 'impersonate-user': 'eve', 'impersonate-extra-a': 'b', 'x-remote-user': 'eve' },
      {},
    ],
    [
      'leave out what is about the connection',
      { 'keep-alive': '5', te: 'trailers', upgrade: 'spdy/3.1' },
      {},
    ],
    [
      'leave out what the connection names',
      { connection: 'close, X-Own', 'x-own': '1', 'x-other': '2' },
      { 'x-other': '2' },
    ],
    [
      'leave out what a new body and host change',
      { host: 'a', 'content-length': '9', expect: '100-continue' },
      {},
    ],
    ['leave out what has no value', { accept: undefined }, {}],
  ];
  it.each(cases)('%s', (_, headers, expected) => {
    expect(forwardedHeaders(headers)).toEqual(expected);
  });
});

describe('returnedHeaders', () => {
  const cases: readonly (readonly [string, Response['headers'], Response['headers']])[] = [
    [
      'keep what is said twice',
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
      'leave out what is about the connection, however it is written',
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
