import { describe, expect, it } from 'vitest';
import { finish, finishWithPauses, type InPieces, PIECE_BYTES, piecesOf, sameBytes } from './bytes.ts';

describe('bytes', () => {
  it.each([0, 1, 3, 4, 5, 8, 1023])('are the same if all of %d are', (length) => {
    const bytes = new Uint8Array(length).map((_, index) => index * 7);
    expect(sameBytes(bytes, bytes.slice())).toBe(true);
    // Not at the beginning of a word.
    expect(sameBytes(bytes, new Uint8Array([0, ...bytes]).subarray(1))).toBe(true);
    expect(sameBytes(bytes, new Uint8Array([...bytes, 0]))).toBe(false);
    for (let index = 0; index < length; index++) {
      const other = bytes.slice();
      other[index] = (bytes[index] ?? 0) ^ 1;
      expect(sameBytes(bytes, other)).toBe(false);
    }
  });
});

describe('a computation in pieces', () => {
  function* counting(pieces: number, bytes: number): InPieces<string> {
    for (let count = 0; count < pieces; count++) yield bytes;
    return 'done';
  }

  it('has the same result with and without pauses', async () => {
    expect(finish(counting(3, PIECE_BYTES))).toBe('done');
    expect(await finishWithPauses(counting(3, PIECE_BYTES), async () => undefined)).toBe('done');
  });

  it('pauses once per piece, and never for less', async () => {
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    await finishWithPauses(counting(8, PIECE_BYTES / 4), pause);
    expect(pauses).toBe(2);
    await finishWithPauses(counting(3, 1), pause);
    expect(pauses).toBe(2);
  });

  it('covers all bytes', () => {
    const pieces = [...piecesOf(new Uint8Array(2 * PIECE_BYTES + 5))];
    expect(pieces.map(({ length }) => length)).toEqual([PIECE_BYTES, PIECE_BYTES, 5]);
    expect([...piecesOf(new Uint8Array())]).toEqual([]);
  });
});
