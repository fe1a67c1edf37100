import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SortedList } from './sorted-list.ts';

it('a sorted list equals the sorted array after any changes', () => {
  const change = fc.record({ isRemoval: fc.boolean(), item: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const list = new SortedList<number>((a, b) => a - b);
      const set = new Set<number>();
      for (const { isRemoval, item } of changes) {
        if (isRemoval) list.delete(item);
        else if (!set.has(item)) list.add(item);
        if (isRemoval) set.delete(item);
        else set.add(item);
        expect([...list]).toEqual([...set].sort((a, b) => a - b));
        expect(list.size).toBe(set.size);
      }
    }),
  );
});
