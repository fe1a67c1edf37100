import fc from 'fast-check';
import { expect, it } from 'vitest';
import { orderMirrors } from './order-mirrors.ts';

it.each<readonly [readonly string[], string, string]>([
  [['b c', 'a b'], 'a b c', 'one set orders the other'],
  [['a b', 'b a'], 'a b', 'sets that contradict one another go by name'],
  [['z y', 'b'], 'b z y', 'unordered mirrors are sorted by name'],
  [['a S b'], 'a S b', 'a source before the last is a mirror as others'],
  [['a b S'], 'a b', 'a source at the end is asked there anyway'],
  [['a S', 'b'], 'a b', 'the source waits for the mirrors of all sets'],
  [['S a', 'b'], 'b S a', 'the source is tried before a mirror that comes after it'],
  [['a b c', 'c a'], 'a b c', 'a circle begins with the first by name'],
  [['a a b a'], 'a b', 'a mirror that is named twice counts where it is first'],
  [['c', 'b', 'a'], 'a b c', 'sets of one mirror each go by name'],
  [[], '', 'no sets give no mirrors'],
])('%j → %j: %s', (sets, expected) => {
  const given = sets.map((set) => set.split(' '));
  expect(orderMirrors('S', given).join(' ')).toBe(expected);
  expect(orderMirrors('S', [...given].reverse()).join(' ')).toBe(expected);
});

const someSets = fc.array(fc.array(fc.constantFrom(...'abcdefS'), { minLength: 1, maxLength: 5 }), {
  maxLength: 5,
});

it('keeps every mirror once, independent of the order of the sets', () => {
  fc.assert(
    fc.property(someSets, (sets) => {
      const ordered = orderMirrors('S', sets);
      expect(new Set(ordered).size).toBe(ordered.length);
      expect(ordered.filter((name) => name !== 'S').sort()).toEqual(
        [...new Set(sets.flat())].filter((name) => name !== 'S').sort(),
      );
      expect(orderMirrors('S', [...sets].reverse())).toEqual(ordered);
    }),
  );
});

it('keeps the order of each set where they do not contradict each other', () => {
  const subset = fc.subarray([...'abcdef'], { minLength: 1 });
  fc.assert(
    fc.property(fc.array(subset, { minLength: 1, maxLength: 6 }), (sets) => {
      const ordered = orderMirrors('S', sets);
      for (const set of sets) expect(ordered.filter((name) => set.includes(name))).toEqual(set);
    }),
  );
});

it('orders many mirrors in a cycle quickly', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `m${String(index).padStart(5, '0')}`);
  expect(orderMirrors('S', [names, [...names].reverse()])).toHaveLength(names.length);
});
