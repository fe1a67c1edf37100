import { describe, expect, it } from 'vitest';
import { base64Text } from '../../../base/text/index.ts';
import { base64Length, readBase64 } from './base64-text.ts';

describe('base64', () => {
  it.each([
    ['%', 0],
    ['ab%=', 2],
    ['abc', 0],
    ['YWJjYQ', 4],
    ['-_-_', 0],
    ['=', 0],
    ['Y=', 1],
    ['YQ=', 3],
    ['YQ=a', 2],
    ['YQ==a', 4],
    ['YWI=a', 4],
  ])('fails at the first error: %s', (text, at) => {
    const message = `illegal base64 data at input byte ${at}`;
    expect(readBase64(text)).toEqual({ kind: 'failed', message });
  });

  it.each([
    ['', ''],
    ['YWJj', 'YWJj'],
    ['YW\r\nJj', 'YWJj'],
    ['YQ==\n', 'YQ=='],
    ['YQ=\n=', 'YQ=='],
    ['YWI=', 'YWI='],
  ])('is decoded without line breaks: %j', (text, taken) => {
    expect(readBase64(text)).toEqual({ kind: 'base64', text: taken });
  });

  it.each(['', 'a', 'ab', 'abc', 'abcd', '\u00ff\u0000'])('is encoded from bytes: %j', (text) => {
    const bytes = Uint8Array.from([...text].map((character) => character.charCodeAt(0)));
    const encoded = base64Text(bytes);
    expect(encoded).toBe(btoa(text));
    expect(base64Length(encoded)).toBe(bytes.length);
  });
});
