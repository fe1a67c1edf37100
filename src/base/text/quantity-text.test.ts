/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { readQuantity } from './quantity-text.ts';

const BAD_FORM =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const BAD_SUFFIX = "unable to parse quantity's suffix";

const ROWS: readonly (readonly [sent: string, alone: string, inList: string])[] = [
  ['1024Mi', '1Gi', '1Gi'],
  ['1000m', '1', '1'],
  ['+100m', '+100m', '+100m'],
  ['0.5Gi', '512Mi', '512Mi'],
  ['1.5', '1500m', '1500m'],
  ['1e3', '1e3', '1e3'],
  ['1E3', '1E3', '1E3'],
  ['1e-3', '1e-3', '1e-3'],
  ['1000k', '1M', '1M'],
  ['1000Ki', '1000Ki', '1000Ki'],
  ['1024Ki', '1Mi', '1Mi'],
  ['0', '0', '0'],
  ['0Mi', '0', '0'],
  ['00', '0', '0'],
  ['01', '01', '01'],
  ['0.0001', '100u', '1m'],
  ['1n', '1n', '1m'],
  ['1.0', '1', '1'],
  ['100e-3', '100e-3', '100e-3'],
  ['12345678901234567890', '12345678901234567890', '12345678901234567890'],
  ['1Ei', '1Ei', '1Ei'],
  ['8Ei', '9223372036854775807', '9223372036854775807'],
  ['.5', '500m', '500m'],
  ['5.', '5.', '5.'],
  ['1e0', '1e0', '1e0'],
  ['1E', '1E', '1E'],
  ['1e+3', '1e+3', '1e+3'],
  ['0.1Ki', '102400m', '102400m'],
  ['1.5Mi', '1536Ki', '1536Ki'],
  ['123456789012345678Mi', '9223372036854775807', '9223372036854775807'],
  ['1000000', '1M', '1M'],
  ['0.0000000001', '1n', '1m'],
  ['-1', '-1', '-1'],
  ['-1024Mi', '-1Gi', '-1Gi'],
];

describe('readQuantity', () => {
  it.each([
    ['', BAD_FORM],
    ['x', BAD_FORM],
    ['1x', BAD_FORM],
    ['1,5', BAD_FORM],
    [true, BAD_FORM],
    [{}, BAD_FORM],
    ['1K', BAD_SUFFIX],
    ['1Mi1', BAD_SUFFIX],
    ['1e', BAD_SUFFIX],
  ])('rejects %j', (sent, message) => {
    expect(readQuantity(sent, { atLeastMilli: false })).toEqual({ kind: 'failed', message });
  });

  it.each(ROWS)('returns the canonical form of %s', (sent, alone, inList) => {
    expect(readQuantity(sent, { atLeastMilli: false })).toEqual({ kind: 'quantity', text: alone });
    expect(readQuantity(sent, { atLeastMilli: true })).toEqual({ kind: 'quantity', text: inList });
  });

  it.each([
    [5, '5'],
    [1.5, '1500m'],
    [1e21, '1e+21'],
    [1e20, '100E'],
    [1e-7, '100e-9'],
    [null, '0'],
    [' 1 ', '1'],
  ])('accepts %j', (sent, text) => {
    expect(readQuantity(sent, { atLeastMilli: false })).toEqual({ kind: 'quantity', text });
  });
});
