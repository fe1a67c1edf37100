import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareBytes } from '../../../base/json.ts';
import { SortedMap } from './sorted-map.ts';

const before = (key: string) => (other: string) => compareBytes(other, key) < 0;

/** More than fit into one block, and now and then none. */
const changes = fc.array(
  fc.record({
    first: fc.nat(3_000),
    count: fc.nat(900),
    step: fc.constantFrom(1, -1, 7),
    isDelete: fc.boolean(),
  }),
  { maxLength: 12 },
);

it('SortedMap holds what a Map holds, sorted', () => {
  fc.assert(
    fc.property(changes, fc.nat(4_000), (some, middle) => {
      const sorted = new SortedMap<number>();
      const plain = new Map<string, number>();
      for (const [turn, { first, count, step, isDelete }] of some.entries()) {
        for (let index = 0; index < count; index++) {
          const key = `${Math.abs(first + index * step)}`;
          if (isDelete) sorted.delete(key);
          else sorted.set(key, turn);
          if (isDelete) plain.delete(key);
          else plain.set(key, turn);
        }
      }
      const expected = [...plain].sort(([a], [b]) => compareBytes(a, b));
      expect([...sorted.entriesFrom(() => false)]).toEqual(expected);
      const key = `${middle}`;
      const behind = expected.filter(([other]) => compareBytes(other, key) >= 0);
      expect([...sorted.entriesFrom(before(key))]).toEqual(behind);
      expect(sorted.countBefore(before(key))).toBe(expected.length - behind.length);
      expect(sorted.get(key)).toBe(plain.get(key));
    }),
    { numRuns: 40 },
  );
});

it('SortedMap sorts by bytes, not by code units', () => {
  const sorted = new SortedMap<number>();
  for (const key of ['😀', '\ufffd', 'é', 'z', '']) sorted.set(key, 1);
  expect([...sorted.entriesFrom(() => false)].map(([key]) => key)).toEqual(['', 'z', 'é', '\ufffd', '😀']);
});
