import { expect, it } from 'vitest';
import { formatMoment, formatSecond, parseMoment } from './moment.ts';

it('moments are written to the millisecond, times of conditions to the second', () => {
  const ms = Date.UTC(2025, 4, 22, 14, 17, 58, 250);
  expect([formatMoment(ms), formatSecond(ms)]).toEqual(['2025-05-22T14:17:58.25Z', '2025-05-22T14:17:58Z']);
  expect(formatMoment(ms + 0.7)).toBe('2025-05-22T14:17:58.25Z');
});

it.each([
  ['2025-05-22T14:17:58.25Z', Date.UTC(2025, 4, 22, 14, 17, 58, 250)],
  ['2025-05-22T16:17:58+02:00', Date.UTC(2025, 4, 22, 14, 17, 58)],
  ['yesterday', undefined],
  ['', undefined],
  [5, undefined],
  [undefined, undefined],
])('%j is the moment %j', (text, ms) => {
  expect(parseMoment(text)).toBe(ms);
});
