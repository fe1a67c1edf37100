import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter, MAX_LINE_BYTES } from './line-splitter.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const texts = (lines: readonly Uint8Array[]) => lines.map((line) => new TextDecoder().decode(line));

describe('a line splitter', () => {
  it('returns the same lines however the bytes are chunked', () => {
    const lines = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', '')));
    fc.assert(
      fc.property(lines, fc.array(fc.nat(20), { minLength: 1 }), (expected, sizes) => {
        const all = bytes(expected.map((line) => `${line}\n`).join(''));
        const splitter = new LineSplitter();
        const found: string[] = [];
        for (let at = 0, turn = 0; at < all.length; turn++) {
          const size = (sizes[turn % sizes.length] ?? 0) + 1;
          found.push(...texts(splitter.push(all.subarray(at, at + size))));
          at += size;
        }
        expect(found).toEqual(expected);
      }),
    );
  });

  it('holds back an incomplete line', () => {
    const splitter = new LineSplitter();
    expect(texts(splitter.push(bytes('a\nb')))).toEqual(['a']);
    expect(texts(splitter.push(bytes('c')))).toEqual([]);
    expect(texts(splitter.push(bytes('\n')))).toEqual(['bc']);
  });

  it('rejects a line that exceeds the limit', () => {
    const splitter = new LineSplitter();
    const piece = new Uint8Array(MAX_LINE_BYTES / 2);
    splitter.push(piece);
    splitter.push(piece);
    expect(() => splitter.push(piece)).toThrow(/longer than/);
  });
});
