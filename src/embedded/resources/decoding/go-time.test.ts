/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { readGoTime } from './go-time.ts';

const LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO = '2006-01-02T15:04:05.000000Z07:00';

describe('readGoTime', () => {
  it.each([
    ['2020-01-01', 'parsing time "2020-01-01" as "LAYOUT": cannot parse "" as "T"'],
    ['2020-13-01T00:00:00Z', 'parsing time "2020-13-01T00:00:00Z": month out of range'],
    ['2020-02-30T00:00:00Z', 'parsing time "2020-02-30T00:00:00Z": day out of range'],
    ['2020-01-01T25:00:00Z', 'parsing time "2020-01-01T25:00:00Z": hour out of range'],
    ['2020-01-01T00:60:00Z', 'parsing time "2020-01-01T00:60:00Z": minute out of range'],
    ['2020-01-01T00:00:61Z', 'parsing time "2020-01-01T00:00:61Z": second out of range'],
    [
      '2020-01-01 00:00:00Z',
      'parsing time "2020-01-01 00:00:00Z" as "LAYOUT": cannot parse " 00:00:00Z" as "T"',
    ],
    ['2020-01-01T00:00:00', 'parsing time "2020-01-01T00:00:00" as "LAYOUT": cannot parse "" as "Z07:00"'],
    [
      '2020-01-01T00:00:00+1',
      'parsing time "2020-01-01T00:00:00+1" as "LAYOUT": cannot parse "+1" as "Z07:00"',
    ],
    ['2020-01-01T00:00:00ZZ', 'parsing time "2020-01-01T00:00:00ZZ": extra text: "Z"'],
    [
      '2020-1-01T00:00:00Z',
      'parsing time "2020-1-01T00:00:00Z" as "LAYOUT": cannot parse "1-01T00:00:00Z" as "01"',
    ],
    ['', 'parsing time "" as "LAYOUT": cannot parse "" as "2006"'],
    [
      '2020-01-01t00:00:00z',
      'parsing time "2020-01-01t00:00:00z" as "LAYOUT": cannot parse "t00:00:00z" as "T"',
    ],
    ['202', 'parsing time "202" as "LAYOUT": cannot parse "202" as "2006"'],
    [
      '2020-01-01T00:00:00.Z',
      'parsing time "2020-01-01T00:00:00.Z" as "LAYOUT": cannot parse ".Z" as "Z07:00"',
    ],
    [
      '2020-01-01T00:00:00+25:00',
      'parsing time "2020-01-01T00:00:00+25:00": time zone offset hour out of range',
    ],
    ['2020-00-01T00:00:00Z', 'parsing time "2020-00-01T00:00:00Z": month out of range'],
    ['2020-01-00T00:00:00Z', 'parsing time "2020-01-00T00:00:00Z": day out of range'],
  ])('fails as in Go: %s', (text, message) => {
    const read = readGoTime(text, 'Time');
    expect(read).toEqual({ kind: 'failed', message: message.replace('LAYOUT', LAYOUT) });
  });

  it.each([
    ['2020-01-01T01:00:00Z', 'cannot parse "Z" as ".000000"'],
    ['2020-01-01T01:00:00', 'cannot parse "" as ".000000"'],
    ['2020-01-01T01:00:00.9999999+01:00', 'cannot parse "9+01:00" as "Z07:00"'],
  ])('requires six digits for MicroTime: %s', (text, why) => {
    const message = `parsing time "${text}" as "${MICRO}": ${why}`;
    expect(readGoTime(text, 'MicroTime')).toEqual({ kind: 'failed', message });
  });

  it('quotes non-ASCII text byte by byte', () => {
    expect(readGoTime('\u00e9"', 'Time')).toMatchObject({
      message: `parsing time "\\xc3\\xa9\\"" as "${LAYOUT}": cannot parse "\\xc3\\xa9\\"" as "2006"`,
    });
  });

  it.each([
    ['2020-01-01T01:00:00.999+01:00', 'Time', '2020-01-01T00:00:00Z'],
    ['2020-01-01T00:00:00,5Z', 'Time', '2020-01-01T00:00:00Z'],
    ['2020-01-01T0:00:00Z', 'Time', '2020-01-01T00:00:00Z'],
    ['1969-12-31T23:59:59.5Z', 'Time', '1969-12-31T23:59:59Z'],
    ['2020-01-01T01:00:00.120000+01:00', 'MicroTime', '2020-01-01T00:00:00.120000Z'],
  ] as const)('formats in UTC: %s as %s', (text, type, written) => {
    expect(readGoTime(text, type)).toEqual({ kind: 'time', text: written });
  });
});
