import { expect, it } from 'vitest';
import { formatMicroTimestamp, formatMilliTimestamp, formatTimestamp, parseTimestamp } from './timestamps.ts';

it('formats times to the millisecond and to the second', () => {
  const ms = Date.UTC(2025, 4, 22, 14, 17, 58, 250);
  expect([formatMilliTimestamp(ms), formatTimestamp(ms)]).toEqual([
    '2025-05-22T14:17:58.25Z',
    '2025-05-22T14:17:58Z',
  ]);
  expect(formatMilliTimestamp(ms + 0.7)).toBe('2025-05-22T14:17:58.25Z');
});

it.each([
  ['2025-05-22T14:17:58.25Z', Date.UTC(2025, 4, 22, 14, 17, 58, 250)],
  ['2025-05-22T16:17:58+02:00', Date.UTC(2025, 4, 22, 14, 17, 58)],
  ['yesterday', undefined],
  ['', undefined],
  [5, undefined],
  [undefined, undefined],
  ['0001-01-01T00:00:00Z', undefined],
])('parses %j as %j', (text, ms) => {
  expect(parseTimestamp(text)).toBe(ms);
});

it.each<[number, string, string]>([
  [0, '1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000000Z'],
  [1_767_225_600_250, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.250000Z'],
  [1_767_225_600_999.5, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.999500Z'],
])('formats %d as the Time %s and the MicroTime %s', (ms, seconds, micros) => {
  expect([formatTimestamp(ms), formatMicroTimestamp(ms)]).toEqual([seconds, micros]);
});
