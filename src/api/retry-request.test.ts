import { describe, expect, it } from 'vitest';
import { formatRetryRequest, parseRetryRequest } from './retry-request.ts';

const ID = '2026-01-31T12:00:00.000Z';

describe('a request to retry', () => {
  it('reads as it was written', () => {
    for (const isForced of [true, false]) {
      expect(parseRetryRequest(formatRetryRequest({ isForced }, ID))).toEqual({ isForced });
    }
    expect(formatRetryRequest({ isForced: true }, ID)).toBe(`force-${ID}`);
  });

  it.each(['1', 'now', 'a'.repeat(128), 'forced', 'force'])('may be any word: %s', (text) => {
    expect(parseRetryRequest(text)).toEqual({ isForced: false });
  });

  it.each([
    ['is empty', ''],
    ['is too long to be written back', 'a'.repeat(129)],
    ['has spaces', 'force now'],
    ['has a line break', 'now\n'],
    ['is JSON', '{"force":true}'],
  ])('is none where the text %s', (_, text) => {
    expect(parseRetryRequest(text)).toBeUndefined();
  });
});
