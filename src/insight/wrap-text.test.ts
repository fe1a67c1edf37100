import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lengthOf, wrapText } from './wrap-text.ts';

it.each([
  ['', 10, ['']],
  ['a few short words', 10, ['a few', 'short', 'words']],
  ['exactly ten', 11, ['exactly ten']],
  ['rendered-worker-1 is long', 8, ['rendered', '-worker-', '1 is', 'long']],
  ['🛠🛠🛠', 2, ['🛠🛠', '🛠']],
])('wrapText wraps %j in %i columns', (text, width, lines) => {
  expect(wrapText(text, width)).toEqual(lines);
});

it('wrapText loses nothing but spaces and never exceeds the width', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
      const lines = wrapText(text, width);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      for (const line of lines) expect(lengthOf(line)).toBeLessThanOrEqual(width);
    }),
  );
});
