import { describe, expect, it } from 'vitest';
import { whySkopeoFailed } from './pull-image.ts';

describe('why skopeo failed', () => {
  const said = (message: string) =>
    `time="2026-01-01T00:00:00Z" level=fatal msg=${JSON.stringify(message)}\n`;

  it.each([
    [
      'is told without the source, and once',
      said(
        'initializing source docker://h:1/os:9: reading manifest 9 in h:1/os: manifest unknown: manifest unknown',
      ),
      'reading manifest 9 in h:1/os: manifest unknown',
    ],
    [
      'keeps quotes within it',
      said(
        'initializing source docker://h:1/os:9: pinging container registry h:1: Get "http://h:1/v2/": EOF',
      ),
      'pinging container registry h:1: Get "http://h:1/v2/": EOF',
    ],
    ['is all that it said where that is of no known form', 'no such program\n', 'no such program'],
  ])('%s', (_, stderr, why) => {
    expect(whySkopeoFailed(stderr)).toBe(why);
  });
});
