import { gzipSync, strToU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import { crc32 } from './crc32.ts';
import { fileContents } from './file-contents.ts';

const source = (bytes: Uint8Array) => `data:;base64,${Buffer.from(bytes).toString('base64')}`;
const read = (bytes: Uint8Array) => fileContents({ source: source(bytes), compression: 'gzip' });
const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(parts.flatMap((part) => [...part]));
const changed = (bytes: Uint8Array, at: number) =>
  bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
const packed = gzipSync(strToU8('hello '.repeat(50)));

describe('compressed contents', () => {
  it.each([
    ['nothing but one byte', new Uint8Array([1]), /invalid header/],
    ['another format', strToU8('PK and some more that is long enough'), /invalid header/],
    ['a header alone', packed.slice(0, 10), /ends too early/],
    [
      'the beginning',
      packed.slice(0, packed.length - 9),
      /ends too early|checksum differs|cannot be unpacked/,
    ],
    ['without their end', packed.slice(0, -3), /ends too early|checksum differs/],
    ['another checksum', changed(packed, packed.length - 8), /checksum differs/],
    [
      'two texts, one behind the other',
      joined(packed, gzipSync(strToU8('two'))),
      /several behind one another/,
    ],
    ['another size', changed(packed, packed.length - 4), /checksum differs/],
  ])('are rejected: %s', (_, bytes, text) => {
    const outcome = read(bytes);
    expect(outcome).toMatchObject({
      kind: 'invalid',
      problems: [{ path: 'source', message: expect.stringMatching(text) }],
    });
  });

  it.each([
    ['a text', packed, 'hello '.repeat(50)],
    ['nothing', gzipSync(new Uint8Array()), ''],
    ['much', gzipSync(strToU8('x'.repeat(100_000))), 'x'.repeat(100_000)],
  ])('are decompressed: %s', (_, bytes, text) => {
    const outcome = read(bytes);
    expect(outcome.kind === 'ok' && new TextDecoder().decode(outcome.value)).toBe(text);
  });
});

it('crc32 is the checksum of gzip', () => {
  expect(crc32(strToU8('123456789'))).toBe(0xcbf43926);
});
