import { expect, it } from 'vitest';
import { spellDuration } from './spell-duration.ts';

it.each([
  [3_600_000, '1 hour'],
  [7_200_000, '2 hours'],
  [600_000, '10 minutes'],
  [60_000, '1 minute'],
  [90_000, '90 seconds'],
  [514_285.7, '514 seconds'],
  [1_000, '1 second'],
  [166.6, '167 milliseconds'],
  [0, '0 milliseconds'],
])('spells %d ms as "%s"', (durationMs, text) => {
  expect(spellDuration(durationMs)).toBe(text);
});
