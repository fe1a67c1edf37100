import { expect, it } from 'vitest';
import { isBadMethod, requestHeadProblem } from './request-head.ts';

it.each<[string, readonly string[], readonly [number, number], string | undefined]>([
  ['one host', ['Host', 'a:80', 'X', 'y'], [1, 1], undefined],
  ['no host', ['X', 'y'], [1, 1], '400 Bad Request: missing required Host header'],
  ['no host in HTTP/1.0', [], [1, 0], undefined],
  ['an empty host', ['host', ''], [1, 1], undefined],
  ['two hosts', ['Host', 'a', 'HOST', 'a'], [1, 1], '400 Bad Request'],
  ['two hosts in HTTP/1.0', ['Host', 'a', 'Host', 'b'], [1, 0], '400 Bad Request'],
  ['a header whose value is host', ['X', 'host', 'Host', 'a'], [1, 1], undefined],
  ['an invalid host', ['Host', 'a/b'], [1, 1], '400 Bad Request: malformed Host header'],
  ['an IPv6 address', ['Host', '[::1]:6443'], [1, 1], undefined],
  ['HTTP/2.0', ['Host', 'a'], [2, 0], '505 HTTP Version Not Supported: unsupported protocol version'],
])(
  'requestHeadProblem of a request with %s',
  (_, rawHeaders, [httpVersionMajor, httpVersionMinor], problem) => {
    expect(requestHeadProblem({ rawHeaders, httpVersionMajor, httpVersionMinor })).toBe(problem);
  },
);

it.each([
  ['FOO / HTTP/1.1\r\n', true],
  ['foo-bar /x?y=z HTTP/1.0\nHost: x', true],
  ['FOO / HTTP/1.1', false],
  ['FOO /', false],
  ['F(O / HTTP/1.1\r\n', false],
  ['hello\r\n', false],
  ['', false],
])('isBadMethod of %j: %s', (text, isOdd) => {
  expect(isBadMethod(new TextEncoder().encode(text))).toBe(isOdd);
});
