import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  decodeRecord,
  decodeRevision,
  decodeState,
  decodeText,
  encodeEnd,
  encodeRecord,
  encodeRevision,
  encodeState,
  encodeText,
} from './table-bytes.ts';

const number = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER));
const key = fc.string({ unit: 'binary', minLength: 1 });

it('decoding restores what was encoded', () => {
  const previous = fc.option(
    number.filter((one) => one > 0),
    { nil: undefined },
  );
  const kind = fc.constantFrom('put' as const, 'delete' as const);
  fc.assert(
    fc.property(fc.record({ kind, key, previous, cost: number }), number, (record, revision) => {
      expect(decodeRecord(encodeRecord(record))).toEqual(record);
      expect(decodeText(encodeText(`\ufeff${record.key}`))).toBe(`\ufeff${record.key}`);
      const state = { revision, compacted: record.cost, logBytes: record.previous ?? 0 };
      expect(decodeState(encodeState(state))).toEqual(state);
    }),
  );
});

it('encodeRevision keeps the order of revisions', () => {
  fc.assert(
    fc.property(number, number, (a, b) => {
      expect(Math.sign(Buffer.compare(encodeRevision(a), encodeRevision(b)))).toBe(Math.sign(a - b));
      expect(decodeRevision(encodeRevision(a))).toBe(a);
    }),
  );
});

it('encodeEnd is after all keys of the prefix and before all others', () => {
  fc.assert(
    fc.property(key, key, (prefix, other) => {
      const end = encodeEnd(prefix) ?? new Uint8Array();
      const isInside =
        Buffer.compare(encodeText(other), encodeText(prefix)) >= 0 &&
        Buffer.compare(encodeText(other), end) < 0;
      expect(isInside).toBe(other.startsWith(prefix));
      expect(Buffer.compare(encodeText(prefix + other), end)).toBeLessThan(0);
    }),
  );
  expect(encodeEnd('')).toBeUndefined();
});
