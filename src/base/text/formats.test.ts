/** Seen from the library that kube-apiserver 1.33 uses. */
import { describe, expect, it } from 'vitest';
import { FORMATS } from './formats.ts';

const ROWS: readonly (readonly [format: string, accepted: readonly string[], refused: readonly string[]])[] =
  [
    [
      'datetime',
      [
        '2024-01-01T00:00:00Z',
        '2024-01-01t00:00:00z',
        '2024-01-01T00:00:00+02:00',
        '2024-01-01T00:00:00.123456789Z',
      ],
      [
        '',
        '2024-02-30T00:00:00Z',
        '2024-01-01T24:00:00Z',
        '2024-01-01T00:00:60Z',
        '2024-01-01T00:00:00',
        '2024-01-01 00:00:00Z',
      ],
    ],
    ['date', ['2024-02-29'], ['2023-02-29', '2024-2-1', '2024-01-01T00:00:00Z', '']],
    ['duration', ['1h', '1h30m', '-1.5s', '2 days', '3 weeks', '1d'], ['', 'x', '5']],
    ['byte', ['aGVsbG8=', 'a+/=', '/abs'], ['', 'aGVsbG8', 'a_-=', 'aGVs bG8']],
    ['uuid', ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B42D3A456426614174000'], ['', '123e4567']],
    ['uuid4', ['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-12d3-a456-426614174000']],
    ['ipv4', ['1.2.3.4', '01.2.3.4', '::ffff:1.2.3.4'], ['256.1.1.1', '1.2.3', '::1']],
    ['ipv6', ['::1', '::ffff:1.2.3.4'], ['1::2::3', 'fe80::1%eth0', '1.2.3.4', '1:2:3:4:5:6:7:8:9']],
    ['cidr', ['10.0.0.0/8', '::/0'], ['10.0.0.0/33', '10.0.0.0']],
    ['mac', ['01:23:45:67:89:ab', '01-23-45-67-89-ab', '0123.4567.89ab'], ['01:23:45:67:89', '']],
    ['hostname', ['localhost', 'example.com', 'x'], ['ex_ample.com', '-a.com', 'a.b', '']],
    ['email', ['foo@example.com', 'Foo <foo@example.com>'], ['foo@', 'foo', '']],
    ['uri', ['https://x.y', '/abs', 'mailto:a', 'http://example.com/a b'], ['rel', '']],
    ['hexcolor', ['#fff', 'fff'], ['#ff']],
    ['rgbcolor', ['rgb(1,2,3)'], ['rgb(300,2,3)']],
    ['ssn', ['123-45-6789'], ['123456789']],
    ['creditcard', ['4111111111111111', '4111-1111-1111-1111'], ['4111111111111112']],
    ['isbn', ['0321751043', '978-0321751041'], ['0321751044', '978-0321751042']],
    ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['507f1f77']],
    ['password', ['', 'anything'], []],
  ];

describe('FORMATS', () => {
  it.each(ROWS)('%s', (format, accepted, refused) => {
    const accepts = (text: string): boolean | undefined => FORMATS.get(format)?.(text);
    expect(refused.filter(accepts)).toEqual([]);
    expect(accepted.filter((text) => !accepts(text))).toEqual([]);
  });

  it('contains no other formats', () => {
    expect(FORMATS.has('int32')).toBe(false);
    expect(FORMATS.has('double')).toBe(false);
  });
});
