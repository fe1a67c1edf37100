import { createHash } from 'node:crypto';
import { gzipSync, strToU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import { countingPause } from '../../../test/support/counting-pause.ts';
import { crc32 } from './crc32.ts';
import {
  contentFacts,
  digestWithPauses,
  fileContents,
  fileContentsWithPauses,
  prepareContentFacts,
  unpackedBytes,
} from './file-contents.ts';
import { gunzipPieces } from './gunzip.ts';

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
  expect(crc32(strToU8('6789'), crc32(strToU8('12345')))).toBe(0xcbf43926);
});

const MIB = 1024 ** 2;
const zeros = (bytes: number) => gzipSync(new Uint8Array(bytes), { level: 9 });
const resource = (bytes: Uint8Array) => ({ source: source(bytes), compression: 'gzip' });
/** The same data, with another size at its end. */
function declaring(bytes: Uint8Array, sizeBytes: number): Uint8Array {
  const other = bytes.slice();
  new DataView(other.buffer).setUint32(other.length - 4, sizeBytes, true);
  return other;
}

describe('what is known about contents', () => {
  it.each([
    ['plain', { source: 'data:,hello' }],
    ['packed', resource(packed)],
    ['packed, of several pieces', resource(zeros(3 * MIB + 7))],
    ['absent', undefined],
  ])('is the size and the digest of those that are %s', async (_, one) => {
    const contents = fileContents(one);
    const bytes = contents.kind === 'ok' ? contents.value : new Uint8Array();
    const expected = {
      kind: 'ok',
      sizeBytes: bytes.length,
      digest: createHash('sha256').update(bytes).digest('hex'),
    };
    expect(contentFacts(one)).toEqual(expected);
    expect(await fileContentsWithPauses(one, async () => undefined)).toEqual(contents);
    expect(await digestWithPauses(bytes, async () => undefined)).toBe(expected.digest);
  });

  it.each([
    ['remote ones', { source: 'https://example.com/x' }],
    ['an unknown packing', { source: 'data:,x', compression: 'xz' }],
    ['damaged ones', resource(changed(packed, packed.length - 8))],
    ['too large ones', resource(zeros(65 * MIB))],
  ])('is the problem of %s', (_, one) => {
    const contents = fileContents(one);
    expect(contentFacts(one)).toEqual({
      kind: 'invalid',
      problems: contents.kind === 'invalid' ? contents.problems : [],
    });
  });

  it('is found out once for each content, in any number of configs', async () => {
    const { counter, pause } = countingPause();
    const large = zeros(5 * MIB + 1);
    await prepareContentFacts([resource(large)], pause);
    const before = counter.pauses;
    expect(before).toBeGreaterThanOrEqual(5);
    await prepareContentFacts([resource(large), resource(large)], pause);
    expect(counter.pauses).toBe(before);
  });
});

describe('packed contents of 60 MiB', () => {
  const large = zeros(60 * MIB);

  it('are unpacked in pieces of which none takes long', async () => {
    const { counter, pause } = countingPause();
    const contents = await fileContentsWithPauses(resource(large), pause);
    expect(contents.kind === 'ok' && contents.value.length).toBe(60 * MIB);
    expect(counter.pauses).toBeGreaterThanOrEqual(40);
    expect(Math.max(...[...gunzipPieces(large)].map(({ length }) => length))).toBeLessThanOrEqual(MIB);
  });

  it('are not unpacked to learn their size', () => {
    expect(unpackedBytes(resource(large))).toBe(60 * MIB);
    expect(unpackedBytes({ source: 'data:,plain' })).toBe(0);
    expect(unpackedBytes({ source: 'data:,no', compression: 'gzip' })).toBe(0);
  });

  it('that declare less are not unpacked beyond that', () => {
    let bytes = 0;
    for (const piece of gunzipPieces(declaring(large, MIB))) bytes += piece.length;
    expect(bytes).toBeLessThanOrEqual(MIB);
    expect(fileContents(resource(declaring(large, MIB)))).toMatchObject({
      problems: [{ message: expect.stringContaining('checksum differs') }],
    });
  });

  it('that declare more than can be packed into them end too early', () => {
    expect(unpackedBytes(resource(declaring(packed, 60 * MIB)))).toBe(0);
    expect(fileContents(resource(declaring(packed, 60 * MIB)))).toMatchObject({
      problems: [{ message: 'gzip data ends too early' }],
    });
  });
});
