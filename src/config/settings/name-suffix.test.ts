/** Names of MachineConfigs where several objects set something for one pool. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { annotations } from '../../api/index.ts';
import type { ObjectMeta } from '../../kubernetes/meta/index.ts';
import {
  configName,
  isConfigName,
  MAX_SUFFIX,
  nameSuffix,
  recordedSuffix,
  suffixText,
} from './name-suffix.ts';

const SUFFIX = annotations.mcNameSuffix;

/** Created at this second of the minute; `suffix` is the value of its annotation. */
function made(name: string, second: number, suffix?: string, more: Partial<ObjectMeta> = {}): ObjectMeta {
  return {
    name,
    creationTimestamp: `2025-05-22T12:00:${String(second).padStart(2, '0')}Z`,
    ...(suffix === undefined ? {} : { annotations: { [SUFFIX]: suffix } }),
    ...more,
  };
}

describe('nameSuffix', () => {
  const ten = Array.from({ length: 10 }, (_, index) =>
    made(`c${index}`, index, index === 0 ? '' : `${index}`),
  );

  test('is undefined for an eleventh object', () => {
    expect(nameSuffix(made('new', 30), ten)).toBeUndefined();
  });

  test('is undefined for an eleventh object also if a lower suffix is free, since the newest must come last', () => {
    expect(nameSuffix(made('new', 30), ten.toSpliced(3, 1))).toBeUndefined();
    expect(nameSuffix(made('new', 30), ten.slice(0, 9))).toBe(9);
  });

  test.each(['10', 'x', '-1', '01', ' '])(
    'with the annotation %j, which is not ours, gets a new number',
    (text) => {
      expect(nameSuffix(made('a', 5, text), [made('b', 1, '')])).toBe(1);
    },
  );

  test('keeps the suffix with the older object if an annotation was copied', () => {
    const [first, copy] = [made('a', 1, '2'), made('b', 2, '2')];
    expect(nameSuffix(first, [copy])).toBe(2);
    expect(nameSuffix(copy, [first])).toBe(3);
  });

  // biome-ignore format: a table.
  test.each<[string, ObjectMeta, readonly ObjectMeta[], number]>([
    ['alone', made('a', 1), [], 0],
    ['the second', made('b', 2), [made('a', 1, '')], 1],
    ['behind a gap', made('c', 3), [made('a', 1, ''), made('b', 2, '4')], 5],
    ['with its own number', made('a', 1, '3'), [made('b', 2, '')], 3],
    ['with its own number, which is none', made('a', 1, ''), [made('b', 2, '1')], 0],
    ['older, of two that are both new', made('a', 1), [made('b', 2)], 0],
    ['newer, of two that are both new', made('b', 2), [made('a', 1)], 1],
    ['made in the same second, by name', made('b', 1), [made('a', 1), made('c', 1)], 1],
    ['fixed late: by its age, if that suffix is free', made('a', 1), [made('b', 2, '1')], 0],
    ['fixed late: after all others if it is not free', made('a', 1), [made('b', 2, ''), made('c', 3, '1')], 2],
    ['without its annotation, by its finalizers', made('a', 1, undefined, { finalizers: ['99-worker-generated-kubelet-2', 'other'] }), [made('b', 2, '3')], 2],
  ])('%s', (_, object, rivals, expected) => {
    expect(nameSuffix(object, rivals)).toBe(expected);
  });
});

test('names and finalizers are distinct by kind', () => {
  expect(configName('kubelet', 'worker', 0)).toBe('99-worker-generated-kubelet');
  expect(configName('containerruntime', 'infra', 3)).toBe('99-infra-generated-containerruntime-3');
  expect(isConfigName('kubelet', '99-worker-generated-kubelet-1')).toBe(true);
  expect(isConfigName('kubelet', '99-worker-generated-containerruntime-1')).toBe(false);
  expect(isConfigName('kubelet', 'example.com/protection')).toBe(false);
});

describe('for any sequence of creations and deletions', () => {
  it('suffixes within a pool are unique, and newer objects have higher ones', () => {
    const step = fc.record({ isAdded: fc.boolean(), at: fc.nat(20), isTogether: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let objects: ObjectMeta[] = [];
        let second = 0;
        for (const { isAdded, at, isTogether } of steps) {
          if (isAdded) {
            if (!isTogether) second++;
            objects.push(made(`o${objects.length}-${second}-${at}`, second));
          } else objects.splice(at, 1);
          if (isTogether) continue;
          objects = settled(objects);
        }
        const numbers = settled(objects).flatMap((one) => recordedSuffix(one) ?? []);
        expect(new Set(numbers).size).toBe(numbers.length);
        expect(Math.max(0, ...numbers)).toBeLessThanOrEqual(MAX_SUFFIX);
      }),
    );
  });

  it('suffixes do not depend on the order of reconciliation', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { maxLength: 10 }), fc.infiniteStream(fc.nat()), (seconds, chances) => {
        const objects = seconds.map((second, index) => made(`o${index}`, second));
        const shuffled = objects
          .map((one) => ({ one, rank: chances.next().value }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ one }) => one);
        const numbers = (list: readonly ObjectMeta[]) =>
          Object.fromEntries(settled(list).map((one) => [one.name, recordedSuffix(one)]));
        expect(numbers(shuffled)).toEqual(numbers(objects));
      }),
    );
  });
});

/** Each is given its number in turn, as the controller does it. */
function settled(objects: readonly ObjectMeta[]): ObjectMeta[] {
  const list = [...objects];
  for (const [index, object] of list.entries()) {
    const rivals = list.filter((one) => one !== object);
    const suffix = nameSuffix(object, rivals);
    if (suffix === undefined) continue;
    list[index] = { ...object, annotations: { [SUFFIX]: suffixText(suffix) } };
  }
  return list;
}
