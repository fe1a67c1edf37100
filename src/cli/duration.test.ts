import { expect, it } from 'vitest';
import { durationMs } from './duration.ts';

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
