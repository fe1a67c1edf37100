import { describe, expect, it } from 'vitest';
import { ageOf, formatGoDuration, humanDuration } from './human-duration.ts';
import { parseTimestamp } from './timestamps.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

describe('humanDuration', () => {
  it.each([
    ['no number', Number.NaN],
    ['two seconds ahead', -2],
    ['long ahead', -YEAR],
    ['forever ahead', Number.NEGATIVE_INFINITY],
  ])('is invalid for %s', (_, seconds) => {
    expect(humanDuration(seconds * 1000)).toBe('<invalid>');
  });

  it.each([
    [-1.999, '0s'],
    [0, '0s'],
    [0.999, '0s'],
    [59, '59s'],
    [119.9, '119s'],
    [2 * MINUTE, '2m'],
    [2 * MINUTE + 30, '2m30s'],
    [10 * MINUTE - 1, '9m59s'],
    [10 * MINUTE + 59, '10m'],
    [3 * HOUR - 1, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + 5 * MINUTE + 59, '3h5m'],
    [8 * HOUR - 1, '7h59m'],
    [8 * HOUR + 59 * MINUTE, '8h'],
    [2 * DAY - 1, '47h'],
    [2 * DAY, '2d'],
    [5 * DAY + 2 * HOUR, '5d2h'],
    [8 * DAY - 1, '7d23h'],
    [8 * DAY + 23 * HOUR, '8d'],
    [2 * YEAR - 1, '729d'],
    [2 * YEAR, '2y'],
    [2 * YEAR + 30 * DAY, '2y30d'],
    [8 * YEAR - 1, '7y364d'],
    [8 * YEAR + 300 * DAY, '8y'],
    [1000 * YEAR, '292y'],
    [Number.POSITIVE_INFINITY, '292y'],
  ])('formats %d seconds as %s', (seconds, text) => {
    expect(humanDuration(seconds * 1000)).toBe(text);
  });
});

describe('ageOf', () => {
  const nowMs = parseTimestamp('2026-01-01T00:00:10.5Z') ?? 0;

  it.each([
    [undefined, '<unknown>'],
    [null, '<unknown>'],
    ['', '<unknown>'],
    ['never', '<unknown>'],
    [5, '<unknown>'],
    ['0001-01-01T00:00:00Z', '<unknown>'],
    ['2026-01-01T00:00:00Z', '10s'],
    ['2026-01-01T00:00:00.6Z', '9s'],
    ['2026-01-01T02:00:00+02:00', '10s'],
    ['2026-01-01T00:00:11Z', '0s'],
    ['2026-01-01T00:01:00Z', '<invalid>'],
    ['2023-01-01T00:00:00Z', '3y1d'],
  ])('returns the age of %j as %s', (moment, text) => {
    expect(ageOf(moment, nowMs)).toBe(text);
  });
});

it.each([
  [0, '0s'],
  [250, '250ms'],
  [1_000, '1s'],
  [60_000, '1m0s'],
  [90_000, '1m30s'],
  [61_100, '1m1.1s'],
  [3_600_000, '1h0m0s'],
  [3_600_000 / 7, '8m34.286s'],
])('formats %d milliseconds as Go prints %s', (ms, go) => {
  expect(formatGoDuration(ms)).toBe(go);
});
