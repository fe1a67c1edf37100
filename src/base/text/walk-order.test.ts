import { expect, it } from 'vitest';
import { inWalkOrder } from './walk-order.ts';

it('a walk is by name, with the contents of a folder at its own place', () => {
  const walked = ['/d/.hidden', '/d/10', '/d/9', '/d/a/z', '/d/a/z/deep', '/d/a-b', '/d/a.b', '/d/b'];
  expect(inWalkOrder([...walked].reverse())).toEqual(walked);
  expect(inWalkOrder(new Set(walked))).toEqual(walked);
  expect(inWalkOrder([])).toEqual([]);
});
