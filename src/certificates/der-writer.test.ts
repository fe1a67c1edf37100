import { describe, expect, it } from 'vitest';
import * as der from './der-writer.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (text: string) => Buffer.from(text, 'hex');

describe('DER', () => {
  it.each<[string, Uint8Array, string]>([
    ['zero', der.unsigned(bytes('')), '020100'],
    ['zero with leading zeros', der.unsigned(bytes('0000')), '020100'],
    ['a number whose top bit is set', der.unsigned(bytes('80')), '02020080'],
    ['a number with a zero too many', der.unsigned(bytes('00007f01')), '02027f01'],
    ['true', der.boolean(true), '0101ff'],
    ['false', der.boolean(false), '010100'],
    ['bytes', der.octets(bytes('abcd')), '0402abcd'],
    ['bits in whole bytes', der.bits(bytes('abcd')), '030300abcd'],
    ['no flags', der.namedBits([]), '030100'],
    ['the first flag', der.namedBits([0]), '03020780'],
    ['flags 5 and 6', der.namedBits([5, 6]), '03020106'],
    ['a text', der.utf8('é'), '0c02c3a9'],
    ['an identifier', der.objectIdentifier('1.2.840.113549'), '06062a864886f70d'],
    ['an identifier with a zero', der.objectIdentifier('2.5.29.0'), '0603551d00'],
    ['an empty sequence', der.sequence(), '3000'],
    ['a set', der.setOf(der.boolean(true)), '31030101ff'],
    ['an explicit tag', der.explicit(3, der.boolean(true)), 'a3030101ff'],
    ['an implicit tag', der.implicit(2, der.ascii('a')), '820161'],
  ])('encodes %s', (_, written, expected) => {
    expect(hex(written)).toBe(expected);
  });

  it.each([
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65_536, '0483010000'],
  ])('encodes the length %d in the fewest bytes', (length, head) => {
    const written = der.octets(new Uint8Array(length));
    expect(hex(written.subarray(0, head.length / 2))).toBe(head);
    expect(written.length).toBe(head.length / 2 + length);
  });

  it.each([
    ['1970-01-01T00:00:00Z', '17', '700101000000Z'],
    ['1999-12-31T23:59:59.999Z', '17', '991231235959Z'],
    ['2049-12-31T23:59:59Z', '17', '491231235959Z'],
    ['2050-01-01T00:00:00Z', '18', '20500101000000Z'],
    ['2104-02-29T12:34:56Z', '18', '21040229123456Z'],
  ])('encodes the time %s', (moment, tag, text) => {
    const written = der.time(Date.parse(moment));
    expect(hex(written.subarray(0, 1))).toBe(tag);
    expect(new TextDecoder().decode(written.subarray(2))).toBe(text);
  });

  it('asserts its preconditions', () => {
    expect(() => der.namedBits([8])).toThrow('internal error');
    expect(() => der.ascii('é')).toThrow('internal error');
    expect(() => der.time(Date.parse('1949-12-31T23:59:59Z'))).toThrow('internal error');
  });
});
