import { expect, it } from 'vitest';
import { durationMs, spanMs } from './duration.ts';

it.each(['', '5', '5 minutes', '1d', 'soon'])('rejects %j as a duration', (text) => {
  const message = `--timeout: ${JSON.stringify(text)} is not a duration: write 30s, 5m or 1h30m`;
  expect(() => durationMs('--timeout', text)).toThrow(message);
});

it.each([
  ['0', 0],
  ['1500ms', 1_500],
  ['1h30m', 5_400_000],
  ['9000h', 604_800_000],
  ['-1s', 604_800_000],
])('parses %s', (text, ms) => expect(durationMs('--timeout', text)).toBe(ms));

it('takes an age as it is, also a long one, and refuses a negative one', () => {
  expect(spanMs('--min-age', '9000h')).toBe(9000 * 60 * 60 * 1000);
  expect(spanMs('--min-age', '0s')).toBe(0);
  expect(() => spanMs('--min-age', '-1s')).toThrow('--min-age: "-1s" is negative: write 0s or more');
});
