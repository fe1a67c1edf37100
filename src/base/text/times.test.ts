import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { civilTime, durationText, parseDateTime, parseDuration, parseGoDuration, timeText } from './times.ts';

const SECOND = 1_000_000_000n;
const moment = fc.bigInt({ min: -62_135_596_800n * SECOND, max: 253_402_300_799n * SECOND });

describe('times', () => {
  it('round-trip through their text', () => {
    fc.assert(fc.property(moment, (nanos) => parseDateTime(timeText(nanos)) === nanos));
  });

  it('parse in the form that Kubernetes writes as in any other', () => {
    const digits = (count: number) => fc.stringMatching(new RegExp(`^[0-9]{${count}}$`));
    const date = fc.tuple(digits(4), digits(2), digits(2)).map((parts) => parts.join('-'));
    const time = fc.tuple(digits(2), digits(2), digits(2)).map((parts) => parts.join(':'));
    fc.assert(
      fc.property(date, time, (day, clock) => {
        expect(parseDateTime(`${day}T${clock}Z`)).toBe(parseDateTime(`${day}t${clock}z`));
      }),
    );
    expect(parseDateTime('2024-02-30T00:00:00Z')).toBeUndefined();
    expect(parseDateTime('2024-01-01T24:00:00Z')).toBeUndefined();
  });

  it.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['1969-12-31T23:59:59.5Z', -SECOND / 2n],
    ['2024-02-29T12:00:00+02:00', 1_709_200_800n * SECOND],
  ])('%s is %d', (text, nanos) => {
    expect(parseDateTime(text)).toBe(nanos);
  });

  it('convert to calendar dates', () => {
    const nanos = parseDateTime('2024-12-31T23:59:58.000000007Z') ?? 0n;
    expect(civilTime(nanos)).toEqual({
      year: 2024,
      month: 11,
      day: 31,
      weekday: 2,
      yearday: 365,
      hours: 23,
      minutes: 59,
      seconds: 58,
      nanos: 7,
    });
  });
});

describe('durations', () => {
  it.each([
    ['1h30m', 5400n * SECOND],
    ['-1.5s', (-3n * SECOND) / 2n],
    ['.5ms', 500_000n],
    ['0', 0n],
    ['1', undefined],
    ['', undefined],
    ['1.5.5s', undefined],
    [`${'9'.repeat(30)}h`, undefined],
  ])('parse %j like Go', (text, nanos) => {
    expect(parseGoDuration(text)).toBe(nanos);
  });

  it('accept words in the format `duration`', () => {
    expect(parseDuration('2 days 3 hours')).toBe((2n * 86_400n + 3n * 3600n) * SECOND);
    expect(parseDuration('soon')).toBeUndefined();
  });

  it('are formatted in seconds', () => {
    expect([5400n * SECOND, SECOND / 2n, -SECOND].map(durationText)).toEqual(['5400s', '0.5s', '-1s']);
  });
});
