import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from './label-selector.ts';
import { matchesLabels } from './match-labels.ts';

function matches(text: string, labels: { readonly [key: string]: string } | undefined): boolean {
  const outcome = parseLabelSelector(text);
  if (outcome.kind === 'invalid') throw new Error(outcome.problems[0]?.message);
  return matchesLabels(outcome.value, labels);
}

describe('matchesLabels', () => {
  it('ignores inherited properties', () => {
    expect(matches('constructor', {})).toBe(false);
    expect(matches('!toString', {})).toBe(true);
  });

  // The last of each row are the labels that the server selects, out of these.
  const objects: { readonly [name: string]: { readonly [key: string]: string } | undefined } = {
    a: { tier: 'front', 'example.com/n': '5' },
    b: { tier: 'back', 'example.com/n': '10' },
    c: { tier: '', 'example.com/n': 'ten' },
    d: {},
    e: undefined,
  };

  it.each([
    ['', 'abcde'],
    ['tier', 'abc'],
    ['!tier', 'de'],
    ['tier=front', 'a'],
    ['tier=', 'c'],
    ['tier!=front', 'bcde'],
    ['tier in (front,back)', 'ab'],
    ['tier notin (front,back)', 'cde'],
    ['tier notin ()', 'abde'],
    ['tier,tier!=back', 'ac'],
    ['tier=front,tier=back', ''],
    ['example.com/n>6', 'b'],
    ['example.com/n<6', 'a'],
    ['example.com/n>5', 'b'],
    ['example.com/n>9223372036854775807', ''],
  ])('%j selects %j', (text, names) => {
    const selected = Object.keys(objects).filter((name) => matches(text, objects[name]));
    expect(selected.join('')).toBe(names);
  });
});
