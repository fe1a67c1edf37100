import fc from 'fast-check';
import { gzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { base64DataUrl, decodeDataUrl, percentDataUrl } from './data-url.ts';
import { fileContents } from './file-contents.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe('decodeDataUrl', () => {
  it.each([
    ['differs from other URLs', 'https://example.com', 'missing data prefix'],
    ['begins in lower case', 'DATA:,x', 'missing data prefix'],
    ['needs a comma', 'data:text/plain', 'missing comma before data'],
    ['has a known type', 'data:nonsense/x,y', 'invalid media type'],
    ['has base64 at the end of its type', 'data:base64;x=y,y', 'invalid media type'],
    [
      'has no bare space',
      'data:,a b',
      'invalid data character: spaces, quotes and other marks must be written as %XX',
    ],
    [
      'has no bare letters beyond ASCII',
      'data:,ü',
      'invalid data character: spaces, quotes and other marks must be written as %XX',
    ],
    ['has whole escapes', 'data:,ab%4', 'data URL has a broken escape after 2 bytes'],
    ['has hexadecimal escapes', 'data:,%zz', 'data URL has a broken escape after 0 bytes'],
    ['has base64 of full length', 'data:;base64,abc', 'illegal base64 data at input byte 3'],
    ['has no foreign characters in its base64', 'data:;base64,ab!=', 'illegal base64 data at input byte 2'],
  ])('%s', (_, url, message) => {
    expect(decodeDataUrl(url)).toBe(message);
  });

  it.each([
    ['data:,', '', ''],
    ['data:,hello%20world', '', 'hello world'],
    ['data:,a+b', '', 'a+b'],
    ['data:text/plain;charset=utf-8;base64,aGVsbG8=', 'text/plain;charset=utf-8', 'hello'],
    ['data:text/plain;base64,', 'text/plain', ''],
    ['data:application/x-sh;charset=utf-8;a="b",x', 'application/x-sh;charset=utf-8;a="b"', 'x'],
    ['data:,gr%C3%BC%C3%9Fe', '', 'grüße'],
  ])('decodes %s', (url, mediaType, text) => {
    const data = decodeDataUrl(url);
    expect(typeof data === 'string' ? data : { mediaType: data.mediaType, text: textOf(data.bytes) }).toEqual(
      {
        mediaType,
        text,
      },
    );
  });

  it('percentDataUrl escapes every byte except letters, digits and a few marks', () => {
    expect(percentDataUrl("aZ9-_.!~*'()")).toBe("data:,aZ9-_.!~*'()");
    expect(percentDataUrl(' /=\n"ü')).toBe('data:,%20%2F%3D%0A%22%C3%BC');
  });

  it('round-trips any bytes in either encoding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(decodeDataUrl(percentDataUrl(bytes))).toMatchObject({ bytes });
        expect(decodeDataUrl(base64DataUrl('text/plain', bytes))).toMatchObject({
          mediaType: 'text/plain',
          bytes,
        });
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        decodeDataUrl(text);
        decodeDataUrl(`data:${text}`);
        decodeDataUrl(`data:;base64,${text}`);
      }),
    );
  });
});

describe('fileContents', () => {
  const gzip = (text: string, end?: number) =>
    base64DataUrl('', gzipSync(bytesOf(text), { mtime: 0 }).subarray(0, end));

  it('is empty without a source', () => {
    expect(fileContents(undefined)).toMatchObject({ value: new Uint8Array() });
    expect(fileContents({ source: '' })).toMatchObject({ value: new Uint8Array() });
  });

  it('decompresses gzip', () => {
    expect(fileContents({ source: gzip('hello'), compression: 'gzip' })).toMatchObject({
      value: bytesOf('hello'),
    });
    expect(fileContents({ source: 'data:,hello', compression: '' })).toMatchObject({
      value: bytesOf('hello'),
    });
  });

  it.each([
    ['an unknown packing', { source: 'data:,x', compression: 'xz' }, 'unsupported compression type "xz"'],
    ['contents that are not gzip', { source: 'data:,hello', compression: 'gzip' }, 'gzip data'],
    [
      'gzip that ends too early',
      { source: gzip('hello hello hello', 18), compression: 'gzip' },
      'gzip data ends too early',
    ],
    ['no contents at all', { source: 'data:,', compression: 'gzip' }, 'gzip data ends too early'],
    ['a place on the network', { source: 'https://example.com/x' }, 'missing data prefix'],
  ])('fails for %s', (_, resource, message) => {
    const outcome = fileContents(resource);
    expect(outcome.kind === 'invalid' && outcome.problems[0]?.message).toContain(message);
  });

  it('rejects decompression bombs', () => {
    const bomb = gzipSync(new Uint8Array(80 * 1024 * 1024));
    const outcome = fileContents({ source: base64DataUrl('', bomb), compression: 'gzip' });
    expect(outcome.kind === 'invalid' && outcome.problems[0]?.message).toContain('unpacks to more than');
  });
});
