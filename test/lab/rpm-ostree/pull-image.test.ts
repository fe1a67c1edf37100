import { describe, expect, it } from 'vitest';
import { whySkopeoFailed } from './pull-image.ts';

describe('whySkopeoFailed', () => {
  const fatal = (message: string) =>
    `time="2026-01-01T00:00:00Z" level=fatal msg=${JSON.stringify(message)}\n`;

  it.each([
    [
      'omits the source and the repeated cause',
      fatal(
        'initializing source docker://h:1/os:9: reading manifest 9 in h:1/os: manifest unknown: manifest unknown',
      ),
      'reading manifest 9 in h:1/os: manifest unknown',
    ],
    [
      'keeps quotes in the message',
      fatal(
        'initializing source docker://h:1/os:9: pinging container registry h:1: Get "http://h:1/v2/": EOF',
      ),
      'pinging container registry h:1: Get "http://h:1/v2/": EOF',
    ],
    ['returns all of stderr when its format is unknown', 'no such program\n', 'no such program'],
  ])('%s', (_, stderr, why) => {
    expect(whySkopeoFailed(stderr)).toBe(why);
  });
});
